// Runs a state machine of an endpoint with the SDK for JavaScript and prints its events without the parts that differ
// from run to run. Then starts a synchronous execution, tests a state, and prints the name of an error.
const sfn = require("@aws-sdk/client-sfn");

const [url, machine, name] = process.argv.slice(2);
const credentials = { accessKeyId: "x", secretAccessKey: "y" };
const client = new sfn.SFNClient({ region: "us-east-1", endpoint: url, disableHostPrefix: true, credentials });
const send = (operation, input) => client.send(new sfn[`${operation}Command`](input));

async function main() {
  const arn = (await send("ListStateMachines", {})).stateMachines[0].stateMachineArn;
  const { executionArn } = await send("StartExecution", { stateMachineArn: arn + machine, name, input: '{"n": 1}' });
  while ((await send("DescribeExecution", { executionArn })).status === "RUNNING") {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const { timestamp, ...event } of (await send("GetExecutionHistory", { executionArn })).events) {
    console.log(timestamp instanceof Date, JSON.stringify(event));
  }
  const definition = '{"StartAt":"A","States":{"A":{"Type":"Pass","End":true}}}';
  const role = { roleArn: "arn:aws:iam::123456789012:role/r" };
  const express = await send("CreateStateMachine", { name: `x${name}`, type: "EXPRESS", definition, ...role });
  const sync = await send("StartSyncExecution", { stateMachineArn: express.stateMachineArn, input: '{"n":2}' });
  const test = await send("TestState", { definition: '{"Type":"Pass","Result":3,"End":true}', ...role });
  console.log(sync.status, sync.output, test.status, test.output);
  try {
    await send("DescribeExecution", { executionArn: `${executionArn}-none` });
  } catch (error) {
    console.log(error.name);
  }
}

main();
