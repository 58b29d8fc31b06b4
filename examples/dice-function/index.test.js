import { test } from 'node:test';
import { functionChecks } from '@bellwether/plugin/conformance';
import { DiceFunction } from './index.js';

for (const { name, check } of functionChecks(DiceFunction, { refused: [{ sides: 1 }], args: { count: 2 } }))
  test(name, check);
