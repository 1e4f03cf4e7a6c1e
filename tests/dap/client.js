// Drives the debug adapter with the client library of VS Code's tests; a line for each thing that holds.
// node client.js ASLDBG SAMPLES, with @vscode/debugadapter-testsupport in NODE_PATH.
'use strict';
const assert = require('node:assert');
const path = require('node:path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const [asldbg, samples] = process.argv.slice(2);
const order = path.join(samples, 'order.asl.json');
const launch = { program: order, startTime: '2025-01-31T10:00:00Z', stopAtEnd: true };
const checks = [];
const check = (name, run) => checks.push([name, run]);

async function begun(client, more = {}) {
  await Promise.all([client.configurationSequence(), client.launch({ ...launch, ...more })]);
}

async function stopped(client, reason, go) {
  const [event] = await Promise.all([client.waitForEvent('stopped'), go()]);
  assert.strictEqual(event.body.reason, reason);
  return event.body.threadId;
}

async function top(client, threadId) {
  const stack = await client.stackTraceRequest({ threadId });
  return stack.body.stackFrames[0];
}

const one = { threadId: 1 };
const entry = (client) => stopped(client, 'entry', () => begun(client, { stopOnEntry: true }));

check('unknown requests are refused', async (client) => {
  await client.initializeRequest();
  await assert.rejects(client.customRequest('frobnicate'));
  await assert.rejects(client.attachRequest({}));
});

check('it stops on entry', async (client) => {
  const threadId = await entry(client);
  assert.strictEqual((await top(client, threadId)).name, 'ValidateOrder (entered)');
});

check('a breakpoint on a line is hit', async (client) => {
  await client.hitBreakpoint(launch, { path: order, line: 34 });
});

check('a breakpoint is moved to the line of its state', async (client) => {
  const state = { path: order, line: 6 };
  await client.hitBreakpoint(launch, { path: order, line: 7 }, state, state);
});

check('it steps through retries and catches, and back', async (client) => {
  await entry(client);
  await client.setExceptionBreakpointsRequest({ filters: ['retried', 'caught'] });
  await stopped(client, 'exception', () => client.continueRequest(one));
  const info = await client.exceptionInfoRequest(one);
  assert.strictEqual(info.body.exceptionId, 'Payment.Throttled');
  await stopped(client, 'exception', () => client.continueRequest(one));
  await stopped(client, 'exception', () => client.continueRequest(one));
  assert.strictEqual((await client.exceptionInfoRequest(one)).body.exceptionId, 'Carrier.Unavailable');
  await stopped(client, 'exception', () => client.reverseContinueRequest(one));
  assert.strictEqual((await top(client, 1)).name, 'ChargeCard (Retry[0])');
  await stopped(client, 'step', () => client.stepBackRequest(one));
  await stopped(client, 'exception', () => client.nextRequest(one));
});

check('stages are stepped into, states over, and out', async (client) => {
  await entry(client);
  await stopped(client, 'step', () => client.stepInRequest(one));
  assert.strictEqual((await top(client, 1)).name, 'ValidateOrder (afterInputPath)');
  await stopped(client, 'step', () => client.nextRequest(one));
  assert.strictEqual((await top(client, 1)).name, 'CheckStock (entered)');
  await stopped(client, 'step', () => client.stepOutRequest(one));
  await stopped(client, 'step', () => client.customRequest('stepBack', { threadId: 1, granularity: 'instruction' }));
});

check('scopes and variables are shown and changed', async (client) => {
  await entry(client);
  const frame = await top(client, 1);
  const scopes = await client.scopesRequest({ frameId: frame.id });
  assert.deepStrictEqual(scopes.body.scopes.map((scope) => scope.name), ['Data', 'Retries', 'Context']);
  const variablesReference = scopes.body.scopes[0].variablesReference;
  const data = await client.variablesRequest({ variablesReference });
  assert.strictEqual(data.body.variables[0].evaluateName, '$input');
  await client.setVariableRequest({ variablesReference, name: 'Input', value: '{"order": {"qty": 7}}' });
  const seen = await client.evaluateRequest({ expression: '$.order.qty', frameId: frame.id, context: 'watch' });
  assert.strictEqual(seen.body.result, '7');
  await client.customRequest('setExpression', { expression: '$input.order.qty', value: '8', frameId: frame.id });
  const info = await client.customRequest('dataBreakpointInfo', { name: '$.order.qty' });
  assert.strictEqual(info.body.dataId, '$.order.qty');
  await client.customRequest('setDataBreakpoints', { breakpoints: [{ dataId: info.body.dataId }] });
});

check('states are breakpoints by their names', async (client) => {
  await entry(client);
  const set = await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'Ship*' }] });
  assert.ok(set.body.breakpoints[0].verified);
  await stopped(client, 'function breakpoint', () => client.continueRequest(one));
  const frame = await top(client, 1);
  await stopped(client, 'step', () => client.restartFrameRequest({ frameId: frame.id }));
});

check('a run begins at a state', async (client) => {
  await entry(client);
  const targets = await client.customRequest('gotoTargets', { source: { path: order }, line: 40 });
  const targetId = targets.body.targets[0].id;
  await stopped(client, 'goto', () => client.customRequest('goto', { threadId: 1, targetId }));
  assert.strictEqual((await top(client, 1)).name, 'ChargeCard (entered)');
});

check('texts, places and completions are told', async (client) => {
  await entry(client);
  const sources = await client.customRequest('loadedSources');
  assert.strictEqual(sources.body.sources[0].path, order);
  const places = await client.customRequest('breakpointLocations', { source: { path: order }, line: 30, endLine: 50 });
  assert.ok(places.body.breakpoints.some((place) => place.line === 34));
  await assert.rejects(client.sourceRequest({ sourceReference: 9 }));
  const words = await client.completionsRequest({ text: 'conti', column: 6 });
  assert.strictEqual(words.body.targets[0].label, 'continue');
  const frame = await top(client, 1);
  assert.deepStrictEqual((await client.customRequest('stepInTargets', { frameId: frame.id })).body.targets, []);
  assert.strictEqual((await client.threadsRequest()).body.threads.length, 1);
});

check('the debug console answers a task', async (client) => {
  const mock = { StateMachines: { order: { TestCases: { None: {} } } }, MockedResponses: {} };
  await stopped(client, 'task', () => begun(client, { mock }));
  await client.evaluateRequest({ expression: 'answer {"ok": true}', context: 'repl' });
  await stopped(client, 'task', () => client.continueRequest(one));
  await client.evaluateRequest({ expression: 'fail Payment.Declined', context: 'repl' });
});

check('it begins again, pauses and ends', async (client) => {
  await entry(client);
  await stopped(client, 'entry', () => client.customRequest('restart'));
  await stopped(client, 'pause', () => client.pauseRequest(one));
  await Promise.all([client.waitForEvent('terminated'), client.terminateRequest()]);
});

check('a run ends with its result', async (client) => {
  const [output, exited] = await Promise.all([
    client.waitForEvent('output'),
    client.waitForEvent('exited'),
    client.waitForEvent('terminated'),
    begun(client, { stopAtEnd: false }),
  ]);
  assert.strictEqual(output.body.category, 'stdout');
  assert.strictEqual(exited.body.exitCode, 0);
});

(async () => {
  let failed = 0;
  for (const [name, run] of checks) {
    const client = new DebugClient(asldbg, 'dap', 'asldbg');
    client.defaultTimeout = 10000;
    await client.start();
    try {
      await run(client);
      console.log(`ok ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`failed ${name}: ${error.stack}`);
    }
    await client.stop();
  }
  process.exit(failed > 0 ? 1 : 0);
})();
