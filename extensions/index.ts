import { notFound } from '@bellwether/kernel';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { QUESTION_RULES, type QuestionRules } from '../src/answering';
import { PUBLICATION_RULES, type PublicationRules } from '../src/assistants';
import { type Extension, EXTENSIONS } from '../src/infrastructure/config';
import { FRAME_PERMISSIONS, type FramePermissions } from '../src/web-ui';

interface Entry {
  /** Loads the code, which costs nothing while the extension is off. */
  readonly load: () => Promise<readonly Type[]>;
  /** Providers that the core asks for, in place of those of the extension while it is off. */
  readonly absent?: readonly { readonly provide: symbol; readonly useValue: object }[];
}

/** Sessions and conversations of courses outlive their extension: nobody asks through them. */
const WITHOUT_COURSES: QuestionRules = {
  admit({ caller, activityId }) {
    if (activityId !== null || caller.activityIds !== undefined) throw notFound('Activity');
    return null;
  },
  activityFor({ activityIds }, _assistantId, wanted) {
    return wanted === null && activityIds === undefined ? Promise.resolve(null) : Promise.reject(notFound('Activity'));
  },
};
const WITHOUT_TESTS: PublicationRules = { admit: () => Promise.resolve(null) };
const WITHOUT_LAUNCHES: FramePermissions = { ancestorsOf: () => Promise.resolve([]) };

const ENTRIES: Readonly<Record<Extension, Entry>> = {
  lti: {
    load: async () => {
      const { CourseRulesModule, LaunchFramesModule, LtiModule } = await import('./lti/index.js');
      return [
        LtiModule,
        LaunchFramesModule,
        CourseRulesModule,
        // LTI 1.1: this line and its folder go together.
        (await import('./lti/legacy/index.js')).LegacyModule,
      ];
    },
    absent: [
      { provide: QUESTION_RULES, useValue: WITHOUT_COURSES },
      { provide: FRAME_PERMISSIONS, useValue: WITHOUT_LAUNCHES },
    ],
  },
  scim: { load: async () => [(await import('./scim/index.js')).ScimModule] },
  'lamb-import': { load: async () => [(await import('./lamb-import/index.js')).LambImportModule] },
  insights: { load: async () => [(await import('./insights/index.js')).InsightsModule] },
  evaluations: {
    load: async () => {
      const { AssistantTestsModule, PublicationRulesModule } = await import('./evaluations/index.js');
      return [AssistantTestsModule, PublicationRulesModule];
    },
    absent: [{ provide: PUBLICATION_RULES, useValue: WITHOUT_TESTS }],
  },
  join: { load: async () => [(await import('./join/index.js')).JoinModule] },
  mcp: { load: async () => [(await import('./mcp/index.js')).McpModule] },
};

/** Answers for the extensions that are off. */
@Module({})
class AbsentExtensions {}

/** The modules of each extension; one that is off is not loaded, and has a module that answers for it. */
export async function loadExtensions(
  on: readonly Extension[],
): Promise<(extension: Extension) => readonly (Type | DynamicModule)[]> {
  const loaded = new Map<Extension, readonly (Type | DynamicModule)[]>();
  for (const extension of EXTENSIONS) {
    const { load, absent = [] } = ENTRIES[extension];
    const exports = absent.map(({ provide }) => provide);
    const standIn = { module: AbsentExtensions, global: true, providers: [...absent], exports };
    loaded.set(extension, on.includes(extension) ? await load() : absent.length === 0 ? [] : [standIn]);
  }
  return (extension) => loaded.get(extension) ?? [];
}
