// Builds when needed, then becomes the server: one process, so that signals reach it.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildIfStale } from './build-if-stale.mjs';

buildIfStale();
createRequire(import.meta.url)(join(process.cwd(), 'dist/src/main.js'));
