import type { Command } from 'commander';
import type { Register } from '../src/infrastructure/commands';
import type { Extension } from '../src/infrastructure/config';
import type { DoctorCheck } from '../src/infrastructure/findings';
import type { OpenDatabase } from '../src/infrastructure/postgres';
import { registerEvaluationCommands } from './evaluations/commands/evaluations.commands';
import { registerLambCommands } from './lamb-import/commands/lamb.commands';

/** The commands of each extension. What one does is loaded when it runs. */
export const EXTENSION_COMMANDS: readonly (readonly [Extension, (program: Command, register: Register) => void])[] = [
  ['evaluations', registerEvaluationCommands],
  ['lamb-import', registerLambCommands],
];

type Examine = (database: OpenDatabase, schemaIsCurrent: boolean) => Promise<DoctorCheck>;

/** Checks that `doctor` makes for extensions that are on. Each loads little: no module of Nest. */
export const DOCTOR_CHECKS: readonly (readonly [Extension, Examine])[] = [
  ['lti', async (...given) => (await import('./lti/legacy/open-bridges.repository.js')).checkBridges(...given)],
];
