/** The page of the guide for a page of the UI, with its heading. The first beginning of the path that fits; `*` is any id. */
const TOPICS: readonly (readonly [path: string, help: string])[] = [
  ['/sign-in', 'web#sign-in'],
  ['/assistants/new', 'recipes'],
  ['/assistants/*/tests', 'assistant-tests'],
  ['/assistants', 'make-an-assistant'],
  ['/multi-tool-assistants', 'make-an-assistant'],
  ['/playground', 'ask-and-see#in-the-playground'],
  ['/runs', 'ask-and-see#all-runs'],
  ['/replays', 'runs#5-repeat-it'],
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

/** The address of the help for a page of the UI. A page without one of its own gets the tour of the UI. */
export function helpFor(path: string): string {
  const parts = path.split('/');
  const fits = (start: string): boolean => start.split('/').every((part, at) => part === '*' || part === parts[at]);
  return `/help/${TOPICS.find(([start]) => fits(start))?.[1] ?? 'web'}`;
}
