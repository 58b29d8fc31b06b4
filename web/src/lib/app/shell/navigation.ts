import type { MessageKey } from '$lib/kit/i18n/keys';

export interface NavLink {
  readonly key: MessageKey;
  readonly href: string;
  /** Paths that belong to it beside its own. */
  readonly also?: readonly string[];
  /** Starts a new group. */
  readonly divided?: boolean;
}

export interface NavGroup {
  readonly key: MessageKey;
  readonly id: string;
  readonly links: readonly NavLink[];
}

export type NavEntry = NavLink | NavGroup;

export interface Reader {
  readonly isTeacher: boolean;
  /** A teacher whose key or session may change things. */
  readonly mayWrite: boolean;
  readonly isAdmin: boolean;
  /** Administers the whole installation. */
  readonly isSystemAdmin: boolean;
  /** Whether multi-tool assistants may be made here. */
  readonly multiTool: boolean;
}

export const isGroup = (entry: NavEntry): entry is NavGroup => 'links' in entry;

const ASSISTANTS: readonly NavLink[] = [
  { key: 'shell.nav.all_assistants', href: '/assistants' },
  { key: 'shell.nav.classic', href: '/assistants?type=classic' },
  { key: 'shell.nav.multi_tool', href: '/multi-tool-assistants' },
];

const creation = (multiTool: boolean): readonly NavLink[] => [
  { key: 'shell.nav.new_classic', href: '/assistants/create', divided: true },
  ...(multiTool ? [{ key: 'shell.nav.new_multi_tool', href: '/multi-tool-assistants/create' } as const] : []),
];

const CONTENT: readonly NavEntry[] = [
  { key: 'shell.nav.knowledge', href: '/knowledge-bases' },
  { key: 'shell.nav.rubrics', href: '/rubrics' },
  { key: 'shell.nav.files', href: '/files' },
  { key: 'shell.nav.templates', href: '/prompt-templates' },
];

const administration = (isSystemAdmin: boolean): NavGroup => ({
  key: 'shell.nav.administration',
  id: 'administration',
  links: [
    { key: 'shell.nav.organization', href: '/organization' },
    { key: 'shell.nav.organization_keys', href: '/organization/api-keys' },
    { key: 'shell.nav.migration', href: '/admin/migration', divided: true },
    ...(isSystemAdmin ? [{ key: 'shell.nav.health', href: '/admin/health' } as const] : []),
  ],
});

/** Navigation that the header offers to a reader. The service checks every right again. */
export function navigationFor({ isTeacher, mayWrite, isAdmin, isSystemAdmin, multiTool }: Reader): readonly NavEntry[] {
  // People who only ask need neither types nor runs.
  if (!isTeacher) return [{ key: 'shell.nav.assistants', href: '/assistants' }];
  return [
    {
      key: 'shell.nav.assistants',
      id: 'assistants',
      links: mayWrite ? [...ASSISTANTS, ...creation(multiTool)] : ASSISTANTS,
    },
    ...CONTENT,
    { key: 'shell.nav.runs', href: '/runs' },
    ...(isAdmin ? [administration(isSystemAdmin)] : []),
  ];
}

const pathOf = (href: string): string => href.split('?')[0] ?? href;
const isUnder = (path: string, href: string): boolean => path === href || path.startsWith(`${href}/`);

/** Whether the entry's pages hold the one at `path`. */
export const isActive = (entry: NavEntry, path: string): boolean =>
  isGroup(entry) ? entry.links.some(({ href }) => isUnder(path, pathOf(href))) : isUnder(path, pathOf(entry.href));
