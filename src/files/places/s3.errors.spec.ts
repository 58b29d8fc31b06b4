import { faultOf, reasonOf, s3Error } from './s3-connection';

const answer = (name: string, httpStatusCode: number) =>
  Object.assign(new Error('canary'), { name, $metadata: { httpStatusCode } });
const network = (code: string) => Object.assign(new Error('canary'), { code });

it.each([
  [answer('NoSuchKey', 404), 'not_found', 'failing', 'NoSuchKey 404'],
  [answer('NoSuchBucket', 404), 'unavailable', 'missing_bucket', 'NoSuchBucket 404'],
  [answer('AccessDenied', 403), 'unavailable', 'refused', 'AccessDenied 403'],
  [answer('PermanentRedirect', 301), 'unavailable', 'failing', 'PermanentRedirect 301'],
  [answer('QuotaExceeded', 403), 'insufficient_storage', 'refused', 'QuotaExceeded 403'],
  [answer('InsufficientStorage', 507), 'insufficient_storage', 'failing', 'InsufficientStorage 507'],
  [network('ECONNREFUSED'), 'unavailable', 'unreachable', 'ECONNREFUSED'],
  ['text', 'unavailable', 'unreachable', 'unknown'],
])('%j is %s to people and %s to operators', (error, code, fault, reason) => {
  expect([s3Error(error).code, faultOf(error), reasonOf(error)]).toEqual([code, fault, reason]);
  expect(s3Error(error).detail).not.toContain('canary');
});
