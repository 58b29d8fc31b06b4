import { AppError } from './errors';

export const staleVersion = (): AppError =>
  new AppError('precondition_failed', 'Somebody saved another version meanwhile: load it and try again');

/** `expected` null accepts any version. @throws {AppError} `precondition_failed` */
export function assertCurrent(expected: number | null, current: number): void {
  if (expected !== null && expected !== current) throw staleVersion();
}
