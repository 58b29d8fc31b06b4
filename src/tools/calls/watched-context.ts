import type { ChatMessage, JsonObject } from '../../kernel';
import type { ToolCaching, ToolContext, ToolInput } from '../contract';
import type { CallRequest } from './call.types';
import { CallContext } from './call-context';

/** Notes which inputs a tool reads without having declared them in `caching`. */
export class Watch {
  readonly undeclared = new Set<string>();
  readonly query: boolean;
  readonly messages: boolean;
  /** `results` and `prompt`. */
  readonly results: boolean;
  readonly caller: boolean;
  readonly assistantId: boolean;

  constructor(caching: ToolCaching, config: JsonObject) {
    const isRenewed = caching.renew !== undefined;
    this.query = caching.forEveryQuestion !== true;
    this.messages = caching.messages?.(config) === true;
    this.results = caching.results === true;
    this.caller = isRenewed || caching.personal === true;
    this.assistantId = isRenewed;
  }

  read(member: string, isDeclared = false): void {
    if (!isDeclared) this.undeclared.add(member);
  }
}

/** A context that reports every read of an input that may decide the result. */
export class WatchedContext extends CallContext {
  constructor(
    private readonly watch: Watch,
    ...of: [request: CallRequest, controller: AbortController, endsAt: number]
  ) {
    super(...of);
  }

  override get caller(): ToolContext['caller'] {
    this.watch.read('caller', this.watch.caller);
    return super.caller;
  }

  override get assistantId(): number {
    this.watch.read('assistantId', this.watch.assistantId);
    return super.assistantId;
  }

  override get assistants(): ToolContext['assistants'] {
    this.watch.read('assistants');
    return super.assistants;
  }

  override get prompt(): string {
    this.watch.read('prompt', this.watch.results);
    return super.prompt;
  }

  override get results(): ToolContext['results'] {
    this.watch.read('results', this.watch.results);
    return super.results;
  }
}

export class WatchedInput implements ToolInput {
  constructor(
    private readonly watch: Watch,
    private readonly input: ToolInput,
  ) {}

  get query(): string {
    this.watch.read('query', this.watch.query);
    return this.input.query;
  }

  get messages(): readonly ChatMessage[] {
    this.watch.read('messages', this.watch.messages);
    return this.input.messages;
  }

  get params(): JsonObject {
    this.watch.read('params');
    return this.input.params ?? {};
  }
}
