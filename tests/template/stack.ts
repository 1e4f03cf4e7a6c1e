import { Stack } from 'aws-cdk-lib';
export class JobStack extends Stack {}
