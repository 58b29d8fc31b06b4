import { test } from 'node:test';
import { strategyChecks } from '@bellwether/plugin/conformance';
import { LastFirstStrategy } from './index.js';

for (const { name, check } of strategyChecks(LastFirstStrategy, { refused: [{ most: 0 }] })) test(name, check);
