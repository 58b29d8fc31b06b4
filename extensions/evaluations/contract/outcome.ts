import type { Outcome } from './expectation.types';

export const passedIf = (passed: boolean, found: string): Outcome => ({
  status: passed ? 'passed' : 'failed',
  found,
});
