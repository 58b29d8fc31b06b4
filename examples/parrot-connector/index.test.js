import { test } from 'node:test';
import { connectorChecks } from '@bellwether/plugin/conformance';
import { parrot } from './index.js';

const exchange = {
  whole: { said: 'Good day', over: true, tokens: 2 },
  events: [{ said: 'Good ' }, { said: 'day' }, { over: true, tokens: 2 }],
  text: 'Good day',
  failures: [{ error: 'the parrot sleeps' }],
};
for (const { name, check } of connectorChecks(parrot, exchange)) test(name, check);
