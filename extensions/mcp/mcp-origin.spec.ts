import { assertOwnOrigin } from './mcp.service';

const place = { publicUrl: 'https://assistants.example.edu/app/', port: 3000 };

describe('the origin check', () => {
  it.each([
    undefined,
    'https://assistants.example.edu',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
  ])('lets %s in', (origin) => {
    expect(() => assertOwnOrigin(origin, place)).not.toThrow();
  });

  it.each([
    'https://evil.example',
    'http://assistants.example.edu',
    'https://assistants.example.edu:8443',
    'https://assistants.example.edu.evil.example',
    'http://rebound.example:3000',
    'http://localhost:6274',
    'null',
    '',
    'not a URL',
  ])('refuses %s', (origin) => {
    expect(() => assertOwnOrigin(origin, place)).toThrow('may not use');
    expect(() => assertOwnOrigin(origin, { ...place, publicUrl: null })).toThrow('may not use');
  });
});
