import type { Finding } from '../../infrastructure/findings';

/** One thing that is looked at. */
export interface Check {
  /** The part of its codes before the dot. */
  readonly name: string;
  readonly make: () => readonly Finding[] | Finding | Promise<readonly Finding[] | Finding>;
}
