/** The page of the guide that explains a page of the UI, with its heading: the first beginning that fits. `*` is any id. */
const TOPICS: readonly (readonly [path: string, help: string])[] = [
  ['/sign-in', 'web#sign-in'],
  ['/join', 'web#sign-in'],
  ['/assistants/new', 'recipes'],
  ['/assistants/*/insights', 'what-the-class-asks'],
  ['/assistants/*/tests', 'assistant-tests'],
  ['/assistants', 'make-an-assistant'],
  ['/multi-tool-assistants', 'make-an-assistant'],
  ['/playground', 'ask-and-see#in-the-playground'],
  ['/runs', 'ask-and-see#all-runs'],
  ['/replays', 'ask-and-see#repeat-questions-with-other-settings'],
  ['/receipts', 'receipts'],
  ['/chat', 'chat'],
  ['/courses', 'courses'],
  ['/knowledge-bases', 'material#knowledge-bases'],
  ['/rubrics', 'material#rubrics'],
  ['/files', 'material#files'],
  ['/prompt-templates', 'material#prompt-templates'],
  ['/organization/members', 'organization#let-people-in'],
  ['/organization/api-keys', 'organization#api-keys'],
  ['/organization/providers', 'connectors'],
  ['/organization/mcp', 'mcp'],
  ['/organization/groups', 'groups'],
  ['/organization/limits', 'limits'],
  ['/organization/usage', 'usage'],
  ['/organization/audit', 'audit'],
  ['/organization/sign-on', 'sso'],
  ['/organization/platforms/bridge', 'lti-bridge'],
  ['/organization/platforms', 'learning-platforms'],
  ['/organization', 'organization'],
  ['/account/api-keys', 'organization#api-keys'],
  ['/account/sessions', 'web#sign-in'],
  ['/admin/migration', 'migrate'],
  ['/admin/health', 'observe#see-whether-something-is-wrong'],
];

const begins = (path: string, start: string): boolean =>
  new RegExp(`^${start.replaceAll('*', '[^/]+')}(/|$)`).test(path);

/** The address of the help for a page of the UI. A page without one of its own gets the tour of the UI. */
export const helpFor = (path: string): string => `/help/${TOPICS.find(([start]) => begins(path, start))?.[1] ?? 'web'}`;
