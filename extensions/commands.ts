import type { Extension } from '../src/infrastructure/config';
import type { DoctorCheck } from '../src/infrastructure/findings';
import type { OpenDatabase } from '../src/infrastructure/postgres';

type Examine = (database: OpenDatabase, schemaIsCurrent: boolean) => Promise<DoctorCheck>;

/** Checks that `doctor` makes for extensions that are on. Each loads little: no module of Nest. */
export const DOCTOR_CHECKS: readonly (readonly [Extension, Examine])[] = [
  ['lti', async (...given) => (await import('./lti/legacy/open-bridges.repository.js')).checkBridges(...given)],
];
