import { AppError } from '@bellwether/kernel';
import type { MoodleAssignment, MoodleCourse, MoodleIdentity } from '../../moodle';
import { CALLER } from '../testing/call';
import { callOnly, functionContext, offers, prepared } from '../testing/function-call';
import { describeFunction } from '../testing/function.conformance';
import { type MoodleConfig, MoodleFunction } from './moodle.function';

const DAY = 86_400_000;

const course = (id: number, name: string): MoodleCourse => ({
  id,
  name,
  shortName: name,
  starts: null,
  ends: null,
  progress: null,
  completed: null,
});

interface Scripted {
  readonly configured?: boolean;
  readonly identity?: MoodleIdentity | null;
  readonly userId?: number | null;
  readonly courses?: readonly MoodleCourse[] | Error;
  readonly assignments?: readonly MoodleAssignment[] | Error;
  readonly submitted?: readonly (readonly [number, boolean])[];
}

function scripted({
  configured = true,
  identity = { field: 'email', value: 'ada@uni.test' },
  userId = 7,
  courses = [course(1, 'Biology')],
  assignments = [],
  submitted = [],
}: Scripted = {}) {
  const asked: unknown[] = [];
  const given = async <T>(value: T | Error, ...args: unknown[]): Promise<T> => {
    asked.push(args);
    if (value instanceof Error) throw value;
    return value;
  };
  const site = {
    userId: (who: MoodleIdentity) => given(userId, 'user', who),
    courses: (id: number) => given(courses, 'courses', id),
    assignments: (ids: readonly number[]) => given(assignments, 'assignments', ids),
    submissions: async () => new Map(submitted),
  };
  const moodle = { site: async () => (configured ? (site as never) : null), identityOf: async () => identity };
  return { asked, plugin: new MoodleFunction(moodle) };
}

const answer = async (options: Scripted, config: object = {}) =>
  JSON.parse((await callOnly(scripted(options).plugin, {}, { config: { ...config } })).content);

describeFunction('moodle', {
  plugin: () => scripted().plugin,
  working: { days_ahead: 30 },
  refused: [
    [{ days_ahead: 0 }, 'days_ahead'],
    [{ user_id: '7' }, 'user_id'],
  ],
  incomplete: [],
});

describe('moodle', () => {
  it('has no argument, so that a model cannot name anybody', async () => {
    const { plugin } = scripted();
    expect(await offers(plugin)).toMatchObject([
      { name: 'get_moodle_courses', parameters: { type: 'object', properties: {}, additionalProperties: false } },
    ]);
    await expect(callOnly(plugin, { user_id: '99' })).rejects.toThrow('The arguments are refused');
  });

  it('reads the person whom the request is for, even if arguments get past the schema', async () => {
    const { plugin, asked } = scripted();
    const config = prepared(plugin) as MoodleConfig;
    await plugin.call('get_moodle_courses', { user_id: '99' }, config, functionContext());
    expect(asked).toEqual([
      ['user', { field: 'email', value: 'ada@uni.test' }],
      ['courses', 7],
      ['assignments', [1]],
    ]);
  });

  it('tells courses, what is due, and what was due lately and is not handed in', async () => {
    const now = Date.now();
    const due = (id: number, name: string, days: number) => ({ id, courseId: 1, name, dueAt: now + days * DAY });
    const told = await answer(
      {
        assignments: [
          due(1, 'long ago', -40),
          due(2, 'missed', -3),
          due(3, 'done', -3),
          due(4, 'next', 2),
          due(5, 'far', 50),
        ],
        submitted: [
          [3, true],
          [4, false],
        ],
      },
      { days_ahead: 30 },
    );
    expect(told).toEqual({
      as_of: expect.stringMatching(/Z$/),
      courses: [{ id: 1, name: 'Biology' }],
      assignments_due: [
        { name: 'missed', course: 'Biology', due: expect.stringMatching(/Z$/), overdue: true },
        { name: 'next', course: 'Biology', due: expect.stringMatching(/Z$/), submitted: false },
      ],
    });
  });

  it('leaves assignments alone where the entry says so', async () => {
    expect(await answer({}, { assignments: false })).not.toHaveProperty('assignments_due');
  });

  it('tells the courses when assignments cannot be read, and that they cannot', async () => {
    const { plugin } = scripted({ assignments: new AppError('upstream_rejected', 'not allowed') });
    const { content, warnings } = await callOnly(plugin, {});
    expect(JSON.parse(content)).toMatchObject({
      courses: [{ name: 'Biology' }],
      assignments_due: 'unknown: assignments could not be read',
    });
    expect(warnings).toEqual(['assignments could not be read: not allowed']);
  });

  it('counts courses beyond a hundred instead of sending them', async () => {
    const courses = Array.from({ length: 103 }, (_, index) => course(index + 1, `C${index}`));
    expect(await answer({ courses })).toMatchObject({ courses_left_out: 3 });
  });

  it.each<[string, Scripted, string, RegExp]>([
    ['is not configured', { configured: false }, 'tool.config_incomplete', /not configured/],
    ['does not know the person', { userId: null }, 'tool.failed', /knows nobody/],
    ['cannot be told who asks', { identity: null }, 'tool.failed', /knows nobody/],
    ['refuses the token', { courses: new AppError('upstream_auth', 'Moodle refuses it') }, 'tool.failed', /refuses it/],
    ['is down', { courses: new AppError('upstream_error', 'x') }, 'tool.failed', /cannot be reached/],
    ['hangs', { courses: new AppError('upstream_timeout', 'x') }, 'tool.timeout', /in time/],
    ['is left with the run', { courses: new AppError('cancelled', 'x') }, 'tool.cancelled', /cancelled/],
    ['is left at assignments', { assignments: new AppError('cancelled', 'x') }, 'tool.cancelled', /cancelled/],
  ])('fails clearly when Moodle %s', async (_, options, code, message) => {
    await expect(callOnly(scripted(options).plugin, {})).rejects.toMatchObject({
      name: 'ToolFailure',
      code,
      message: expect.stringMatching(message),
    });
  });

  it('never takes the word of another organization for who somebody is', async () => {
    const { plugin, asked } = scripted();
    const caller = { ...CALLER, organizationId: 'another' };
    await expect(callOnly(plugin, {}, { caller })).rejects.toMatchObject({ code: 'tool.unavailable' });
    expect(asked).toEqual([]);
  });
});
