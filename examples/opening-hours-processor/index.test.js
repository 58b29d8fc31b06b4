import { test } from 'node:test';
import { promptProcessorChecks, ragProcessorChecks } from '@bellwether/plugin/conformance';
import { OpeningHoursProcessor, QuestionFirstProcessor } from './index.js';

for (const { name, check } of ragProcessorChecks(OpeningHoursProcessor)) test(`opening hours: ${name}`, check);
for (const { name, check } of promptProcessorChecks(QuestionFirstProcessor)) test(`question first: ${name}`, check);
