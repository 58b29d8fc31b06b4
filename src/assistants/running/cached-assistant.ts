import type { Caller } from '@bellwether/kernel';
import { type AssistantDocument, type Definition, runningDefinition } from '../definition';
import type { AssistantCompiler } from './assistant-compiler';
import { accessLevel, disclosureTo, withoutAdminRights } from '../access/assistant.permissions';
import type { AccessLevel, CompiledAssistant, Disclosure, RunnableAssistant } from '../access/assistant.types';
import type { AssistantEntity } from '../storage/assistant.entity';
import type { GroupShare, PersonShare } from '../storage/assistant-share-scope.repository';

export interface AssistantShares {
  readonly people: readonly PersonShare[];
  readonly groups: readonly GroupShare[];
}

export const NO_SHARES: AssistantShares = { people: [], groups: [] };
/** Shares for callers of another organization, whose right comes from the publication. */
export const UNKNOWN_SHARES: AssistantShares = { people: [], groups: [] };

/** The columns that decide how an assistant runs. */
export type RunnableRow = Definition &
  Pick<AssistantEntity, 'id' | 'organizationId' | 'ownerId' | 'version' | 'published' | 'disabled'> & {
    /** Newest saved version, as in `RunningRow`. */
    readonly newestVersion: number;
  };

/** One version, stored or a draft. Its document and compiled form are made on first use. */
export class CachedAssistant {
  private readonly people: ReadonlyMap<string, 'edit' | 'use'>;
  private read: AssistantDocument | undefined;
  private made: CompiledAssistant | undefined;

  constructor(
    readonly row: RunnableRow,
    private readonly shares: AssistantShares,
    private readonly membersUseAll: boolean,
    private readonly compiler: AssistantCompiler,
  ) {
    this.people = new Map(shares.people.map(({ userId, access }) => [userId, access]));
  }

  /** Whether access may depend on the groups of a caller. */
  get hasGroups(): boolean {
    return this.shares.groups.length > 0;
  }

  /** Null for a caller who may not run it. `groupIds` are the caller's groups. */
  accessOf(caller: Caller, groupIds: readonly string[]): AccessLevel | null {
    if (this.row.disabled) return null;
    const grants = { share: this.shareOf(caller, groupIds), membersUseAll: this.membersUseAll };
    return accessLevel(caller, this.row, grants);
  }

  for(caller: Caller, groupIds: readonly string[]): RunnableAssistant | null {
    const access = this.accessOf(caller, groupIds);
    if (access === null) return null;
    return this.runnable(access, disclosureTo(caller, this.accessOf(withoutAdminRights(caller), groupIds)));
  }

  /** Right to use, for a caller with another right than that of `accessOf`. */
  forUse(): RunnableAssistant {
    return this.runnable('use', 'none');
  }

  /** Assistant for a caller whose rights are known. `draft`: the definition is not saved. */
  known(
    { access, disclosure }: Pick<RunnableAssistant, 'access' | 'disclosure'>,
    { draft = false } = {},
  ): RunnableAssistant {
    return this.runnable(access, disclosure, draft);
  }

  /** The strongest of the person's own share and those of their groups. */
  private shareOf({ userId }: Caller, groupIds: readonly string[]): 'edit' | 'use' | undefined {
    const own = this.people.get(userId);
    if (own === 'edit') return own;
    const shared = this.shares.groups.filter(({ groupId }) => groupIds.includes(groupId));
    return shared.some(({ access }) => access === 'edit') ? 'edit' : (own ?? shared[0]?.access);
  }

  private runnable(access: AccessLevel, disclosure: Disclosure, draft = false): RunnableAssistant {
    const { id, name, description, version, newestVersion, organizationId, ownerId, published } = this.row;
    const owner = { organizationId, userId: ownerId };
    const compiled = (): CompiledAssistant => this.compiled;
    return {
      id,
      name,
      description,
      version,
      newestVersion,
      organizationId,
      ownerId,
      owner,
      published,
      draft,
      hasEditors: this.hasEditors,
      access,
      disclosure,
      document: this.document,
      required: this.compiler.required(this.document),
      get compiled() {
        return compiled();
      },
    };
  }

  private get hasEditors(): boolean {
    if (this.shares === UNKNOWN_SHARES) return true;
    return [...this.shares.people, ...this.shares.groups].some(({ access }) => access === 'edit');
  }

  private get document(): AssistantDocument {
    return (this.read ??= this.compiler.read(runningDefinition(this.row)));
  }

  private get compiled(): CompiledAssistant {
    return (this.made ??= this.compiler.compile(this.document));
  }
}
