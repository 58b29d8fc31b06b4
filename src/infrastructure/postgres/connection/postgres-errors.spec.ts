import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import {
  databaseErrorToAppError,
  isDatabaseUnavailable,
  isForeignKeyViolation,
  isRolledBack,
  isUniqueViolation,
} from './postgres-errors';

const failure = (code: string, message = '', constraint?: string): Error =>
  Object.assign(new Error(message), { code, ...(constraint === undefined ? {} : { constraint }) });

describe('errors of the database', () => {
  it.each([
    ['22P02', 'bad_request'],
    ['22P05', 'bad_request'],
    ['22021', 'bad_request'],
    ['22003', 'bad_request'],
    ['23505', 'conflict'],
    ['23503', 'conflict'],
    ['53100', 'insufficient_storage'],
    ['25006', 'unavailable'],
    ['53000', 'unavailable'],
    ['53300', 'unavailable'],
    ['58030', 'unavailable'],
    ['55P03', 'unavailable'],
    ['57014', 'unavailable'],
    ['57P01', 'unavailable'],
    ['08006', 'unavailable'],
    ['40001', 'unavailable'],
    ['ECONNREFUSED', 'unavailable'],
    ['EPIPE', 'unavailable'],
    ['EHOSTUNREACH', 'unavailable'],
    ['25P03', 'unavailable'],
  ])('with code %s are %s', (code, expected) => {
    expect(databaseErrorToAppError(failure(code))).toMatchObject({ code: expected });
  });

  it('without an answer are unavailable', () => {
    for (const message of [
      'timeout exceeded when trying to connect',
      'Connection terminated unexpectedly',
      'Query read timeout',
      'Client was closed and is not queryable',
      'Cannot use a pool after calling end on the pool',
    ]) {
      expect(isDatabaseUnavailable(new Error(message))).toBe(true);
    }
    expect(isDatabaseUnavailable(new QueryRunnerAlreadyReleasedError())).toBe(true);
  });

  it.each(['53100', '25006', '57P01', '08006', '58030'])('with code %s keep what a buffer holds', (code) => {
    expect(isDatabaseUnavailable(failure(code))).toBe(true);
  });

  it.each([
    ['23503', true],
    ['40001', true],
    ['40003', false],
    ['57P01', false],
    ['08P01', false],
    ['ECONNRESET', false],
  ])('with code %s of a COMMIT tell whether it was rolled back: %s', (code, expected) => {
    expect(isRolledBack(failure(code))).toBe(expected);
  });

  it('never carry the words of the database to the client', () => {
    const error = databaseErrorToAppError(failure('22P02', 'invalid input syntax: "secret"'));
    expect(error?.detail).not.toContain('secret');
  });

  it('of other kinds stay what they are', () => {
    for (const error of [failure('42P01'), failure('23502'), new Error('other'), 'text', null, undefined]) {
      expect(databaseErrorToAppError(error)).toBeNull();
    }
  });

  it('tell one constraint from another', () => {
    const unique = failure('23505', '', 'names_uq');
    expect([
      isUniqueViolation(unique),
      isUniqueViolation(unique, 'names_uq'),
      isUniqueViolation(unique, 'ids_pk'),
    ]).toEqual([true, true, false]);
    expect(isForeignKeyViolation(unique)).toBe(false);
  });
});
