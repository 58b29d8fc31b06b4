import { test } from 'node:test';
import { toolChecks } from '@bellwether/plugin/conformance';
import { WordCountTool } from './index.js';

for (const { name, check } of toolChecks(WordCountTool, {
  working: { label: 'Words' },
  refused: [{ label: 7 }, { most: 0 }],
}))
  test(name, check);
