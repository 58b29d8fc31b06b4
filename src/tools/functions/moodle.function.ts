import { AppError, type JsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { type MoodleAssignment, type MoodleCourse, MoodleService, type MoodleSite } from '../../moodle';
import {
  type FunctionContext,
  type FunctionDeclaration,
  type FunctionOutput,
  type FunctionPlugin,
  type ToolDefinition,
  ToolFailure,
} from '../contract';

export interface MoodleConfig extends JsonObject {
  readonly assignments: boolean;
  readonly days_ahead: number;
}

const COURSES = 100;
const ASSIGNMENTS = 20;
const DAY_MS = 86_400_000;
/** Overdue assignments are listed for this many days, unless they were handed in. */
const DAYS_BACK = 14;

interface Due {
  /** null: they could not be read. */
  readonly assignments: readonly JsonObject[] | null;
  readonly warnings: readonly string[];
}

/**
 * Courses and due assignments of the person who asks. The function takes no arguments: the authenticated request names the
 * person, never a model or a prompt.
 */
@Injectable()
export class MoodleFunction implements FunctionPlugin<MoodleConfig> {
  readonly definition: ToolDefinition = DEFINITION;

  constructor(@Inject(MoodleService) private readonly moodle: Pick<MoodleService, 'site' | 'identityOf'>) {}

  offer(): Promise<readonly FunctionDeclaration[]> {
    return Promise.resolve([DECLARATION]);
  }

  async call(_: string, __: JsonObject, config: MoodleConfig, context: FunctionContext): Promise<FunctionOutput> {
    try {
      return await this.read(config, context);
    } catch (error) {
      throw explained(error);
    }
  }

  private async read(
    { assignments, days_ahead: daysAhead }: MoodleConfig,
    context: FunctionContext,
  ): Promise<FunctionOutput> {
    const { caller, owner, signal } = context;
    // An organization vouches for the identity of its own members only.
    if (caller.organizationId !== owner.organizationId) throw new ToolFailure('tool.unavailable', FOREIGN);
    const site = await this.moodle.site(owner.organizationId);
    if (site === null) throw new ToolFailure('tool.config_incomplete', NOT_CONFIGURED);
    const identity = await this.moodle.identityOf(caller);
    const userId = identity === null ? null : await site.userId(identity, signal);
    if (userId === null) throw new ToolFailure('tool.failed', NOBODY);
    const found = await site.courses(userId, signal);
    const courses = found.slice(0, COURSES);
    const due = assignments ? await assignmentsDue(site, userId, courses, { daysAhead, signal }) : null;
    return {
      content: JSON.stringify({
        as_of: new Date().toISOString(),
        courses: courses.map(courseText),
        ...(found.length > courses.length ? { courses_left_out: found.length - courses.length } : {}),
        ...(due === null ? {} : { assignments_due: due.assignments ?? 'unknown: assignments could not be read' }),
      }),
      warnings: due?.warnings ?? [],
    };
  }
}

const NOT_CONFIGURED = 'Moodle is not configured for this organization: its address and token are missing';
const NOBODY = 'Moodle knows nobody by the identity of the person who asks';
const FOREIGN = 'Moodle is read for members of the assistant’s organization only';

/** A failure in our own words, without any text of Moodle. */
function explained(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'cancelled') return new ToolFailure('tool.cancelled', 'the call was cancelled');
  if (error.code === 'upstream_timeout') return new ToolFailure('tool.timeout', 'Moodle did not answer in time');
  if (error.code === 'upstream_error') return new ToolFailure('tool.failed', 'Moodle cannot be reached now');
  return new ToolFailure('tool.failed', error.detail);
}

interface Window {
  readonly daysAhead: number;
  readonly signal: AbortSignal;
}

/** A failure to read assignments is a warning: the courses are still answered. */
async function assignmentsDue(
  site: MoodleSite,
  userId: number,
  courses: readonly MoodleCourse[],
  { daysAhead, signal }: Window,
): Promise<Due> {
  const names = new Map(courses.map(({ id, name }) => [id, name]));
  try {
    const now = Date.now();
    const dated = (await site.assignments([...names.keys()], signal))
      .filter(({ dueAt }) => dueAt > now - DAYS_BACK * DAY_MS && dueAt < now + daysAhead * DAY_MS)
      .slice(0, ASSIGNMENTS);
    const submitted = await site.submissions(
      userId,
      dated.map(({ id }) => id),
      signal,
    );
    const open = dated.filter(({ id, dueAt }) => dueAt >= now || submitted.get(id) !== true);
    return { assignments: open.map((one) => assignmentText(one, { names, submitted, now })), warnings: [] };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
    return { assignments: null, warnings: [`assignments could not be read: ${error.detail}`] };
  }
}

const courseText = ({ id, name, shortName, starts, ends, progress, completed }: MoodleCourse): JsonObject => ({
  id,
  name,
  ...(shortName === name ? {} : { short_name: shortName }),
  ...(starts === null ? {} : { starts }),
  ...(ends === null ? {} : { ends }),
  ...(progress === null ? {} : { progress_percent: progress }),
  ...(completed === null ? {} : { completed }),
});

interface Known {
  readonly names: ReadonlyMap<number, string>;
  readonly submitted: ReadonlyMap<number, boolean>;
  readonly now: number;
}

function assignmentText({ id, courseId, name, dueAt }: MoodleAssignment, { names, submitted, now }: Known): JsonObject {
  const isIn = submitted.get(id);
  return {
    name,
    course: names.get(courseId) ?? '',
    due: new Date(dueAt).toISOString(),
    ...(dueAt < now ? { overdue: true } : {}),
    ...(isIn === undefined ? {} : { submitted: isIn }),
  };
}

const DECLARATION: FunctionDeclaration = {
  name: 'get_moodle_courses',
  description:
    'Courses that the person you are talking to is enrolled in on Moodle, and their assignments due. It takes no arguments and cannot be asked about anybody else.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};

const DEFINITION: ToolDefinition = {
  name: 'moodle',
  aliases: [],
  display_name: 'Moodle courses and assignments',
  description:
    'Lets the model look up the Moodle courses and upcoming assignments of the person who asks. It needs your organization’s Moodle connection.',
  texts: {
    es: {
      name: 'Cursos y tareas de Moodle',
      about:
        'Permite que el modelo consulte los cursos de Moodle y las próximas entregas de la persona que pregunta. Necesita la conexión de su organización con Moodle.',
    },
    ca: {
      name: 'Cursos i tasques de Moodle',
      about:
        'Permet que el model consulti els cursos de Moodle i els propers lliuraments de la persona que pregunta. Necessita la connexió de la vostra organització amb Moodle.',
    },
    eu: {
      name: 'Moodleko ikastaroak eta lanak',
      about:
        'Ereduari galdetzen duen pertsonaren Moodleko ikastaroak eta laster entregatu beharreko lanak kontsultatzeko aukera ematen dio. Zure erakundearen Moodlerako konexioa behar du.',
    },
  },
  placeholder: null,
  category: 'lms',
  version: '1.0.0',
  kind: 'function',
  function_name: DECLARATION.name,
  icon: 'graduation-cap',
  allow_multiple: false,
  config_schema: {
    type: 'object',
    properties: {
      assignments: {
        type: 'boolean',
        title: 'Assignments',
        description: 'Also reads assignments that are due.',
        default: true,
      },
      days_ahead: {
        type: 'integer',
        title: 'Days ahead',
        description: 'How far ahead an assignment counts as due.',
        minimum: 1,
        maximum: 365,
        default: 60,
      },
    },
    additionalProperties: false,
  },
  parameters: DECLARATION.parameters,
  examples: [
    {
      query: 'What do I have to hand in next?',
      parameters: { assignments: true, days_ahead: 14 },
      expected_result: 'The courses of the person who asks and what is due in them within two weeks.',
    },
  ],
  capabilities: ['lms', 'personal_data'],
  limitations: ['Reads the Moodle of the organization; only about the person who asks.'],
  cost: { unit: 'request', estimate: 3 },
};
