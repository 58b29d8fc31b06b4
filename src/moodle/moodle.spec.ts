import { AppError, type Caller, type EndUser } from '@bellwether/kernel';
import fc from 'fast-check';
import type { OutboundRequest, OutboundResponse } from '../infrastructure/outbound';
import { moodleMemory } from './moodle-site';
import { MoodleService } from './moodle.service';
import { unescaped } from './moodle-answers';

const ORGANIZATION = 'org-1';
const signal = new AbortController().signal;

const CALLER = {
  organizationId: ORGANIZATION,
  userId: 'u-1',
  kind: 'api_key',
} as Caller;

type Answers = Readonly<Record<string, unknown>>;

interface Scripted {
  readonly moodle?: { apiUrl: string; token: string | null; trusted: boolean } | null;
  readonly answers?: Answers;
  readonly member?: { email: string; disabled: boolean } | null;
}

const SITE = { apiUrl: 'https://moodle.test', token: 't0ken', trusted: false };

function scripted({ moodle = SITE, answers = {}, member = { email: 'ada@uni.test', disabled: false } }: Scripted = {}) {
  const calls: { name: string; args: Record<string, string>; request: OutboundRequest }[] = [];
  const service = new MoodleService(
    { runtime: async () => ({ moodle }) as never },
    { find: async () => member as never },
    {
      request: async (request: OutboundRequest): Promise<OutboundResponse> => {
        const { wsfunction = '', ...args } = Object.fromEntries(new URLSearchParams(request.body));
        calls.push({ name: wsfunction, args, request });
        const answer = answers[wsfunction];
        if (answer instanceof Error) throw answer;
        if (typeof answer === 'string') return { status: 200, headers: {}, text: answer };
        return { status: 200, headers: {}, text: JSON.stringify(answer ?? null) };
      },
    },
  );
  const site = async () => {
    const found = await service.site(ORGANIZATION);
    if (found === null) throw new Error('There is no Moodle');
    return found;
  };
  return { service, calls, site };
}

const exception = (errorcode: string) => ({
  exception: 'moodle_exception',
  errorcode,
  message: 'secret detail of the server',
});

const byEmail = { field: 'email', value: 'ada@uni.test' } as const;

describe('a call to Moodle', () => {
  it.each(['https://moodle.test', 'https://moodle.test/', 'https://moodle.test/webservice/rest/server.php'])(
    'goes to the web service of %s, with the token in its body only',
    async (apiUrl) => {
      const { site, calls } = scripted({
        moodle: { ...SITE, apiUrl },
        answers: { core_user_get_users_by_field: [{ id: 7, email: 'Ada@uni.test' }] },
      });
      expect(await (await site()).userId(byEmail, signal)).toBe(7);
      expect(calls[0]).toMatchObject({
        args: { wstoken: 't0ken', moodlewsrestformat: 'json', field: 'email', 'values[0]': 'ada@uni.test' },
        request: { method: 'POST', trusted: false, signal },
      });
      expect(calls[0]?.request.url).toMatch(/^https:\/\/moodle\.test\/webservice\/rest\/server\.php\?/);
      expect(calls[0]?.request.url).not.toContain('t0ken');
    },
  );

  it.each<[unknown, string, RegExp]>([
    [exception('invalidtoken'), 'upstream_auth', /refuses the token/],
    [exception('accessexception'), 'upstream_rejected', /may not ask/],
    [exception('invalidparameter'), 'upstream_rejected', /invalidparameter/],
    [exception('<script>alert(1)</script>'), 'upstream_rejected', /unknown/],
    [{ error: 'secret detail', errorcode: 'invalidlogin' }, 'upstream_rejected', /invalidlogin/],
    ['<!DOCTYPE html><title>Maintenance</title>', 'upstream_bad_response', /cannot be read/],
    [new AppError('upstream_timeout', 'The server did not answer in time'), 'upstream_timeout', /in time/],
  ])('that is answered with %j rejects with %s', async (answer, code, detail) => {
    const { site } = scripted({ answers: { core_enrol_get_users_courses: answer } });
    const failure = await (await site()).courses(7, signal).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, detail: expect.stringMatching(detail) });
    expect(String((failure as AppError).detail)).not.toMatch(/secret|script>/);
  });
});

describe('who somebody is on Moodle', () => {
  it.each<[string, unknown]>([
    ['nobody', []],
    ['several people', [{ id: 7 }, { id: 8 }]],
    ['somebody else', [{ id: 7, email: 'eve@uni.test' }]],
    ['a suspended user', [{ id: 7, suspended: true }]],
    ['no user id', [{ email: 'ada@uni.test' }]],
    ['null', null],
  ])('is not known when the answer is %s', async (_, answer) => {
    const { site } = scripted({ answers: { core_user_get_users_by_field: answer } });
    expect(await (await site()).userId(byEmail, signal)).toBeNull();
  });

  it('is asked once in a while, per organization, address and token', async () => {
    const { site, calls, service } = scripted({ answers: { core_user_get_users_by_field: [{ id: 7 }] } });
    await (await site()).userId(byEmail, signal);
    await (await site()).userId({ ...byEmail, value: 'ADA@uni.test' }, signal);
    expect(calls).toHaveLength(1);
    await (await service.site('org-2'))?.userId(byEmail, signal);
    expect(calls).toHaveLength(2);
  });

  it.each<[EndUser, object]>([
    [
      { source: 'x-openwebui-user-email', id: 'a@b.c' },
      { field: 'email', value: 'a@b.c' },
    ],
    [
      { source: 'x-openwebui-user-id', id: '42' },
      { field: 'idnumber', value: '42' },
    ],
    [
      { source: 'metadata.user_id', id: '42' },
      { field: 'id', value: '42' },
    ],
    [
      { source: 'metadata.user_id', id: 'a@b.c' },
      { field: 'email', value: 'a@b.c' },
    ],
    [
      { source: 'metadata.user_id', id: 'S-100' },
      { field: 'idnumber', value: 'S-100' },
    ],
    [
      { source: 'metadata.lti_user_id', id: '42' },
      { field: 'id', value: '42' },
    ],
    [
      { source: 'metadata.lis_person_sourcedid', id: '100625' },
      { field: 'idnumber', value: '100625' },
    ],
    [
      { source: 'metadata.email', id: 'a@b.c' },
      { field: 'email', value: 'a@b.c' },
    ],
  ])('is read from %j as %j', async (endUser, identity) => {
    const member = { email: 'a@b.c', disabled: false };
    expect(await scripted({ member }).service.identityOf({ ...CALLER, endUser })).toEqual(identity);
  });

  it('is asked of Moodle where the request names the address of somebody without an account here', async () => {
    const answers = { core_user_get_users_by_field: [{ id: 77, email: 'a@b.c' }] };
    const { service } = scripted({ member: null, answers });
    for (const source of ['x-openwebui-user-email', 'metadata.user_id', 'metadata.email'] as const) {
      const caller = { ...CALLER, mayNameEndUser: 'anywhere', endUser: { source, id: 'a@b.c' } } as const;
      expect(await service.identityOf(caller)).toEqual({ field: 'email', value: 'a@b.c' });
      expect(await service.userText(caller, ORGANIZATION, signal)).toEqual({ text: '77', warnings: [] });
    }
  });

  it('is asked by the next name where Moodle does not know the address, as Open WebUI sends both', async () => {
    const endUser: EndUser = {
      source: 'x-openwebui-user-email',
      id: 'unknown@b.c',
      others: [
        { source: 'x-openwebui-user-id', id: 'S-100' },
        { source: 'metadata.user_id', id: '42' },
      ],
    };
    const { service, calls } = scripted({ member: null, answers: { core_user_get_users_by_field: [] } });
    const caller = { ...CALLER, mayNameEndUser: 'anywhere', endUser } as const;
    expect(await service.userText(caller, ORGANIZATION, signal)).toEqual({ text: '42', warnings: [] });
    expect(calls.map(({ args }) => args['values[0]'])).toEqual(['unknown@b.c', 'S-100']);
    const gone = scripted({ member: { email: 'unknown@b.c', disabled: true } });
    expect(await gone.service.identityOf(caller)).toBeNull();
  });

  it('is nobody where the request names the address of a disabled member, and the report says so', async () => {
    const { service, calls } = scripted({ member: { email: 'a@b.c', disabled: true } });
    for (const source of ['x-openwebui-user-email', 'metadata.user_id', 'metadata.email'] as const) {
      const caller = { ...CALLER, mayNameEndUser: 'anywhere', endUser: { source, id: 'a@b.c' } } as const;
      expect(await service.identityOf(caller)).toBeNull();
      expect(await service.userText(caller, ORGANIZATION, signal)).toEqual({
        text: '',
        warnings: [expect.stringContaining('switched off')],
      });
    }
    expect(calls).toEqual([]);
  });

  it('is the caller by their own e-mail address where the request names nobody', async () => {
    expect(await scripted().service.identityOf(CALLER)).toEqual(byEmail);
    expect(await scripted({ member: null }).service.identityOf(CALLER)).toBeNull();
    const member = { email: 'ada@uni.test', disabled: true };
    expect(await scripted({ member }).service.identityOf(CALLER)).toBeNull();
  });

  it.each(['anywhere', 'in_headers'] as const)('is nobody where a request names none that may %s', async (where) => {
    const { service } = scripted();
    const gateway = { ...CALLER, mayNameEndUser: where };
    expect(await service.identityOf(gateway)).toBeNull();
    expect(await service.userText(gateway, ORGANIZATION, signal)).toEqual({ text: '', warnings: [] });
  });
});

describe('what a prompt is told of who asks', () => {
  const text = (options: Scripted, organizationId = ORGANIZATION, caller = CALLER) =>
    scripted(options).service.userText(caller, organizationId, signal);

  it('is the number that Moodle knows them by', async () => {
    const answers = { core_user_get_users_by_field: [{ id: 11763 }] };
    expect(await text({ answers })).toEqual({ text: '11763', warnings: [] });
  });

  it.each<[string, Scripted]>([
    ['there is no Moodle', { moodle: null }],
    ['there is no token', { moodle: { ...SITE, token: null } }],
    ['Moodle does not know them', { answers: { core_user_get_users_by_field: [] } }],
  ])('is their e-mail address when %s', async (_, options) => {
    expect(await text(options)).toEqual({ text: 'ada@uni.test', warnings: [] });
  });

  it('is their e-mail address, with a warning, when Moodle fails', async () => {
    expect(await text({ answers: { core_user_get_users_by_field: exception('invalidtoken') } })).toEqual({
      text: 'ada@uni.test',
      warnings: [expect.stringContaining('could not be looked up')],
    });
  });

  it('is nothing for a member of another organization', async () => {
    expect(await text({}, 'org-2')).toEqual({ text: '', warnings: [] });
  });
});

describe('courses and assignments', () => {
  it('needs only what Moodle guarantees, and undoes its escapes', async () => {
    const { site } = scripted({
      answers: {
        core_enrol_get_users_courses: [
          { id: 1, shortname: 'a &gt; b', fullname: 'a &gt; b &amp;&amp; a &lt; c', idnumber: '', visible: 1 },
          { id: 2, shortname: 'X', fullname: 'Hidden', idnumber: '', visible: 0 },
          {
            id: '3',
            shortname: 'Y',
            fullname: 'Whole',
            visible: 1,
            startdate: 1771995600,
            enddate: 0,
            progress: 6.67,
            completed: false,
          },
          { fullname: 'without an id' },
          'noise',
        ],
      },
    });
    expect(await (await site()).courses(7, signal)).toEqual([
      {
        id: 1,
        name: 'a > b && a < c',
        shortName: 'a > b',
        starts: null,
        ends: null,
        progress: null,
        completed: null,
      },
      {
        id: 3,
        name: 'Whole',
        shortName: 'Y',
        starts: '2026-02-25T05:00:00.000Z',
        ends: null,
        progress: 7,
        completed: false,
      },
    ]);
  });

  it('reads assignments of the courses asked for, the earliest first, dated ones only', async () => {
    const { site, calls } = scripted({
      answers: {
        mod_assign_get_assignments: {
          courses: [
            {
              id: 1,
              assignments: [
                { id: 11, name: 'Late', duedate: 200 },
                { id: 12, name: 'Early &#039;one&#039;', duedate: 100 },
                { id: 13, name: 'Undated', duedate: 0 },
              ],
            },
            { id: 9, assignments: [{ id: 91, name: 'Not mine', duedate: 50 }] },
          ],
          warnings: [],
        },
      },
    });
    expect(await (await site()).assignments([1, 2], signal)).toEqual([
      { id: 12, courseId: 1, name: "Early 'one'", dueAt: 100_000 },
      { id: 11, courseId: 1, name: 'Late', dueAt: 200_000 },
    ]);
    expect(calls[0]?.args).toMatchObject({ 'courseids[0]': '1', 'courseids[1]': '2' });
  });

  it('keeps the first 500 courses and 5000 assignments of a server that has no end', async () => {
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    const many = numbers(3_000).map((id) => ({ id, name: 'A', duedate: id }));
    const { site } = scripted({
      answers: {
        core_enrol_get_users_courses: numbers(600).map((id) => ({ id, fullname: 'C' })),
        mod_assign_get_assignments: { courses: [1, 2].map((id) => ({ id, assignments: many })) },
      },
    });
    expect(await (await site()).courses(7, signal)).toHaveLength(500);
    expect(await (await site()).assignments([1, 2], signal)).toHaveLength(5_000);
  });

  it('remembers 32 MB at most, and no entry that is larger than 2 MB', () => {
    const memory = moodleMemory();
    const megabyte = { value: 'x'.repeat(512 * 1024) };
    for (let index = 0; index < 40; index += 1) memory.set(`key ${index}`, megabyte);
    expect(memory.calculatedSize).toBeLessThanOrEqual(32 * 1024 * 1024);
    expect([memory.has('key 39'), memory.has('key 0')]).toEqual([true, false]);
    memory.set('large', { value: 'x'.repeat(1024 * 1024) });
    expect([memory.has('large'), memory.has('key 39')]).toEqual([false, true]);
  });

  it('tells what is handed in, and stops asking when it may not', async () => {
    const submission = { lastattempt: { submission: { status: 'new' }, teamsubmission: { status: 'submitted' } } };
    const known = scripted({ answers: { mod_assign_get_submission_status: submission } });
    expect([...(await (await known.site()).submissions(7, [1, 2], signal))]).toEqual([
      [1, true],
      [2, true],
    ]);
    const refused = scripted({ answers: { mod_assign_get_submission_status: exception('accessexception') } });
    const many = Array.from({ length: 50 }, (_, index) => index + 1);
    expect((await (await refused.site()).submissions(7, many, signal)).size).toBe(0);
    expect(refused.calls.length).toBeLessThanOrEqual(4);
  });
});

describe('the text behind HTML escapes', () => {
  it.each([
    ['&amp;lt;', '&lt;'],
    ['&#38;&#x26;', '&&'],
    ['&#55296; &#0; &#x110000; &unknown; & &;', '&#55296; &#0; &#x110000; &unknown; & &;'],
  ])('of %j is %j', (html, text) => expect(unescaped(html)).toBe(text));

  it('is what was escaped, whatever it was', () => {
    const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
    fc.assert(fc.property(fc.string(), (text) => unescaped(escaped(text)) === text));
  });
});
