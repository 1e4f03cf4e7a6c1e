# Runs a state machine of an endpoint with boto3 and prints its events without the parts that differ from run to run.
import json, sys, time
import boto3
from botocore.config import Config

url, machine, name = sys.argv[1:]
config = Config(inject_host_prefix=False, retries={"max_attempts": 1})
client = boto3.client("stepfunctions", endpoint_url=url, region_name="us-east-1", config=config)
arn = client.list_state_machines()["stateMachines"][0]["stateMachineArn"]
started = client.start_execution(stateMachineArn=arn + machine, name=name, input='{"n": 1}')
execution = started["executionArn"]
while client.describe_execution(executionArn=execution)["status"] == "RUNNING":
    time.sleep(0.1)
history = client.get_execution_history(executionArn=execution)
for event in history["events"]:
    del event["timestamp"]
    print(json.dumps(event, sort_keys=True))
try:
    client.start_execution(stateMachineArn=arn, name=name, input='{"n": 2}')
except client.exceptions.ExecutionAlreadyExists as error:
    print(error.response["Error"]["Code"])
