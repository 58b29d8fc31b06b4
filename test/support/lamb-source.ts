import type { LambAssistant, LambOrganization, LambRubric, LambSource, LambUser } from '@bellwether/lamb-reader';
import {
  type ImportedOrganization,
  type ImportOptions,
  type ImportReport,
  NO_CHOICES,
} from '../../extensions/lamb-import';

export type SourceParts = Partial<LambSource>;

export const ORGANIZATION: LambOrganization = {
  id: 2,
  slug: 'biology_dept',
  name: 'Biology',
  isSystem: false,
  status: 'active',
  // With a provider, so that nothing has to be said of it.
  config: { setups: { default: { providers: { openai: { api_key: 'key-of-biology' } } } } },
};

export const user = (id: number, changes: Partial<LambUser> = {}): LambUser => ({
  id,
  organizationId: ORGANIZATION.id,
  email: `user${id}@biology.example`,
  name: `User ${id}`,
  enabled: true,
  userType: 'creator',
  isSystemAdmin: false,
  ...changes,
});

export const assistant = (id: number, changes: Partial<LambAssistant> = {}): LambAssistant => ({
  id,
  organizationId: ORGANIZATION.id,
  name: `1_assistant_${id}`,
  description: 'Answers',
  ownerEmail: 'user1@biology.example',
  metadata:
    '{"prompt_processor": "simple_augment",  "connector":"bypass","llm":"debug-bypass","rag_processor":"no_rag"}',
  systemPrompt: 'Be kind.',
  promptTemplate: 'Q: {user_input} C: {context}',
  ragCollections: '',
  unreadable: null,
  ragTopK: 3,
  published: false,
  deleted: false,
  createdAt: 1_700_000_000,
  updatedAt: 1_710_000_000,
  ...changes,
});

export const rubricDocument = (title = 'Essay') => ({
  rubricId: 'rubric-0123456789',
  title,
  description: 'How to judge an essay',
  metadata: { createdAt: '2025-01-01', modifiedAt: '2025-01-02' },
  criteria: [
    {
      id: 'c1',
      name: 'Thesis',
      description: 'Is there one?',
      weight: 100,
      levels: [
        { id: 'l1', score: 1, label: 'Weak', description: 'No' },
        { id: 'l2', score: 4, label: 'Strong', description: 'Yes' },
      ],
    },
  ],
  scoringType: 'points',
  maxScore: 10,
});

export const rubric = (id: number, changes: Partial<LambRubric> = {}): LambRubric => ({
  id,
  rubricId: `6f9619ff-8b86-4d01-b42d-00cf4fc9640${id}`,
  organizationId: ORGANIZATION.id,
  ownerEmail: 'user1@biology.example',
  title: 'Essay',
  description: 'How to judge an essay',
  document: rubricDocument(),
  isPublic: false,
  isShowcase: false,
  ...changes,
});

export const template = {
  id: 4,
  organizationId: ORGANIZATION.id,
  ownerEmail: 'USER1@biology.example ',
  name: 'Socratic',
  description: 'Asks back',
  systemPrompt: 'Ask back.',
  promptTemplate: '{user_input}',
  unreadable: null,
  isShared: true,
};
export const collection = {
  collectionId: '7',
  name: 'Cells',
  ownerUserId: 1,
  organizationId: ORGANIZATION.id,
  isShared: false,
};

export const importOptions = (changes: Partial<ImportOptions> = {}): ImportOptions => ({
  files: null,
  dryRun: false,
  sourceName: 'campus',
  organization: null,
  choices: NO_CHOICES,
  progress: { report: () => undefined },
  signal: new AbortController().signal,
  ...changes,
});

export const onlyOrganization = ({ organizations }: ImportReport): ImportedOrganization => {
  const [organization] = organizations;
  if (organization === undefined || organizations.length > 1) throw new Error('Not exactly one organization');
  return organization;
};

let serial = 0;
/** Another slug and another installation for every test. */
export const place = (): { organizations: LambOrganization[]; sourceName: string; slug: string } => {
  serial += 1;
  const slug = `biology-${serial}`;
  return { organizations: [{ ...ORGANIZATION, slug }], sourceName: `campus-${serial}`, slug };
};

/** One organization with an owner and a teacher; parts given replace those of it. */
export const sourceOf = (parts: SourceParts): LambSource => ({
  prefix: 'LAMB_',
  problems: [],
  organizations: [ORGANIZATION],
  users: [user(1), user(2)],
  roles: [{ organizationId: ORGANIZATION.id, userId: 1, role: 'owner' }],
  assistants: [],
  shares: [],
  rubrics: [],
  promptTemplates: [],
  collections: [],
  ...parts,
});
