import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { Comparison } from './password-comparison';

const { password, hash } = workerData as Comparison;
parentPort?.postMessage(compareSync(password, hash));
