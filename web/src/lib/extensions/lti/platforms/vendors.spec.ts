import { describe, expect, it } from 'vitest';
import { newPlatform } from './platform-values';
import { completed, vendorOf } from './vendors';

const typed = (more: object) => ({ ...newPlatform(), ...more });

describe('the known addresses of a vendor', () => {
  it('follow from the issuer, with or without a slash at its end', () => {
    const known = completed('moodle', typed({ issuer: 'https://moodle.example.edu/' }));
    expect(known).toEqual({
      authorization: 'https://moodle.example.edu/mod/lti/auth.php',
      token: 'https://moodle.example.edu/mod/lti/token.php',
      jwks: 'https://moodle.example.edu/mod/lti/certs.php',
    });
  });

  it('leave typed values, and what does not follow yet', () => {
    const known = completed('blackboard', typed({ token: 'https://proxy.example.edu/token' }));
    expect(Object.keys(known)).toEqual(['issuer', 'authorization']);
    expect(completed('moodle', newPlatform())).toEqual({});
    expect(completed('blackboard', typed({ clientId: 'a/b' })).jwks).toContain('/applications/a%2Fb/jwks.json');
  });
});

it('recognizes the vendor of a stored platform', () => {
  const { authorization = '' } = completed('brightspace', typed({ issuer: 'https://learn.example.edu' }));
  expect(vendorOf({ authorization })).toBe('brightspace');
  expect(vendorOf({ authorization: 'https://lms.example.edu/authorize' })).toBeNull();
});
