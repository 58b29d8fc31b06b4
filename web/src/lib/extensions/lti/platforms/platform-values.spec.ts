import { expect, it } from 'vitest';
import { overwritesNothing } from '$lib/kit/ui/differences';
import { changeOf, creationOf, newPlatform, type Platform, valuesOf } from './platform-values';

const STORED: Platform = {
  id: '0198c0de-0000-7000-8000-000000000001',
  name: 'Moodle',
  issuer: 'https://moodle.example.edu',
  client_id: 'one',
  authorization_endpoint: 'https://moodle.example.edu/mod/lti/auth.php',
  token_endpoint: 'https://moodle.example.edu/mod/lti/token.php',
  token_audience: null,
  jwks_uri: 'https://moodle.example.edu/mod/lti/certs.php',
  deployment_ids: ['1', '2'],
  instructor_role: 'member',
  match: { by: 'claim', claim: 'custom.person_id' },
  active: true,
  awaits_approval: false,
  launch_url: 'https://bellwether.example.edu/lti/launch',
  login_url: 'https://bellwether.example.edu/lti/login',
  jwks_url: 'https://bellwether.example.edu/lti/jwks',
  deep_link_url: 'https://bellwether.example.edu/lti/deep-link',
  version: 1,
  created_at: '2026-11-24T00:00:00.000Z',
  updated_at: '2026-11-24T00:00:00.000Z',
};

it('sends only what differs, and a claim only to match by', () => {
  expect(changeOf(STORED, valuesOf(STORED))).toEqual({});
  const changed = { ...valuesOf(STORED), deployments: ' 1 \n\n3\n1', matchBy: 'none' as const };
  expect(changeOf(STORED, changed)).toEqual({ deployment_ids: ['1', '3'], match: { by: 'none' } });
});

it('leaves the name of a new platform to the service when none was typed', () => {
  expect(creationOf({ ...newPlatform(), name: ' ' })).not.toHaveProperty('name');
  expect(creationOf({ ...newPlatform(), name: ' Moodle ' })).toMatchObject({ name: 'Moodle', token_audience: null });
});

it('overwrites what another person changed only after a question', () => {
  const theirs = { ...STORED, deployment_ids: ['1', '2', '9'] };
  expect(overwritesNothing(STORED, theirs, { name: 'Campus' })).toBe(true);
  expect(overwritesNothing(STORED, theirs, { deployment_ids: ['1'] })).toBe(false);
});
