import { type AssistantDocument, boundDefinition } from '../../definition';
import type { Caller } from '../../kernel';
import type { AssistantCompiler } from './assistant-compiler';
import { accessLevel, disclosureTo, withoutAdminRights } from '../access/assistant.permissions';
import type { AccessLevel, CompiledAssistant, Disclosure, RunnableAssistant } from '../access/assistant.types';
import type { AssistantEntity } from '../storage/assistant.entity';
import type { AssistantShareEntity } from '../storage/assistant-share.entity';

/** One stored version. Its document and compiled form are made on first use. */
export class CachedAssistant {
  private readonly shares: ReadonlyMap<string, 'edit' | 'use'>;
  private read: AssistantDocument | undefined;
  private made: CompiledAssistant | undefined;

  constructor(
    readonly row: AssistantEntity,
    shares: readonly AssistantShareEntity[],
    private readonly membersUseAll: boolean,
    private readonly compiler: AssistantCompiler,
  ) {
    this.shares = new Map(shares.map(({ userId, access }) => [userId, access]));
  }

  /** Null for a caller who may not run it. */
  accessOf(caller: Caller): AccessLevel | null {
    if (this.row.disabled) return null;
    const grants = { share: this.shares.get(caller.userId), membersUseAll: this.membersUseAll };
    return accessLevel(caller, this.row, grants);
  }

  for(caller: Caller): RunnableAssistant | null {
    const access = this.accessOf(caller);
    if (access === null) return null;
    return this.runnable(access, disclosureTo(caller, this.accessOf(withoutAdminRights(caller))));
  }

  /** For a caller with another right than that of `accessOf`. */
  forUse(): RunnableAssistant {
    return this.runnable('use', 'none');
  }

  private runnable(access: AccessLevel, disclosure: Disclosure): RunnableAssistant {
    const { id, name, description, version, organizationId, ownerId, published } = this.row;
    const owner = { organizationId, userId: ownerId };
    const compiled = (): CompiledAssistant => this.compiled;
    return {
      id,
      name,
      description,
      version,
      organizationId,
      ownerId,
      owner,
      published,
      access,
      disclosure,
      document: this.document,
      required: this.compiler.required(this.document),
      get compiled() {
        return compiled();
      },
    };
  }

  private get document(): AssistantDocument {
    return (this.read ??= this.compiler.read(boundDefinition(this.row)));
  }

  private get compiled(): CompiledAssistant {
    return (this.made ??= this.compiler.compile(this.document));
  }
}
