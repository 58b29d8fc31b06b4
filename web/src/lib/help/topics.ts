/** The page of the guide that explains a page of the UI: the first beginning of the path that fits. */
const TOPICS: readonly (readonly [path: string, slug: string])[] = [
  ['/knowledge-bases', 'knowledge-bases'],
  ['/organization/providers', 'connectors'],
  ['/organization/mcp', 'mcp'],
  ['/organization/groups', 'groups'],
  ['/organization/limits', 'limits'],
  ['/organization/usage', 'usage'],
  ['/organization/audit', 'audit'],
  ['/organization/sign-on', 'sso'],
  ['/organization/platforms/bridge', 'lti-bridge'],
  ['/organization/platforms', 'learning-platforms'],
  ['/organization', 'operate'],
  ['/admin/migration', 'migrate'],
  ['/assistants', 'assistants'],
  ['/multi-tool-assistants', 'assistants'],
];

/** The address of the help for a page of the UI. A page without one of its own gets the tour of the UI. */
export const helpFor = (path: string): string =>
  `/help/${TOPICS.find(([start]) => path === start || path.startsWith(`${start}/`))?.[1] ?? 'web'}`;
