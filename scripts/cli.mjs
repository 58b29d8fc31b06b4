// Runs one operator command on a current build: npm run cli -- <command>
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildIfStale } from './build-if-stale.mjs';

buildIfStale(['service']);
createRequire(import.meta.url)(join(process.cwd(), 'dist/src/cli.js'));
