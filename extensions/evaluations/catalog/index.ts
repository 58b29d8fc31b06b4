import type { Expectation } from '../contract';
import { CITES_DOCUMENT } from './cites-document.expectation';
import { CONTAINS } from './contains.expectation';
import { FINDS_PASSAGE } from './finds-passage.expectation';
import { LACKS } from './lacks.expectation';
import { MEETS_RUBRIC } from './meets-rubric.expectation';
import { REFUSES } from './refuses.expectation';
import { WITHIN_COST } from './within-cost.expectation';
import { WITHIN_TIME } from './within-time.expectation';

/** Expectations in the order in which people see them. The catalogue checks every config against its schema first. */
export const EXPECTATION_PLUGINS = [
  CITES_DOCUMENT,
  FINDS_PASSAGE,
  CONTAINS,
  LACKS,
  REFUSES,
  MEETS_RUBRIC,
  WITHIN_TIME,
  WITHIN_COST,
] as unknown as readonly Expectation[];
