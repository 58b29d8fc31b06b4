import { loggedPath } from './request-log';

describe('a path in the log', () => {
  it.each([
    ['/api/v1/runs?q=my+secret', '/api/v1/runs'],
    ['/sign-in/AbC-123_x', '/sign-in/…'],
    ['/Sign-In/AbC?x=1', '/Sign-In/…'],
    ['//sign-in/AbC', '//sign-in/…'],
    ['http://bellwether.example.edu/sign-in/AbC?x=1', 'http://bellwether.example.edu/sign-in/…'],
    ['/sign-in?problem=link', '/sign-in'],
    ['/lti/arrival/AbC/dEf', '/lti/arrival/…'],
    ['/lti/open/AbC', '/lti/open/…'],
    ['/lti/register/AbC?x=1', '/lti/register/…'],
    ['/lti/launch', '/lti/launch'],
    ['/assistants/12', '/assistants/12'],
  ])('%s is written as %s', (path, written) => {
    expect(loggedPath(path)).toBe(written);
  });
});
