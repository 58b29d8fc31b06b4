import { AppError, type Caller, type Source, assertActsForPerson, notFound, orNull } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { FAILED_FOR_ASKERS, knowledgeBasesIn, sourcesForAskers } from '../answering';
import { AssistantsService, type RunnableAssistant } from '../assistants';
import { KnowledgeBasesService, SourceLinks } from '../knowledge-bases';
import { AnswerSettlement } from './answer-settlement.service';
import type { Conversation } from './conversation.entity';
import type { Message } from './conversation-message.entity';
import { ConversationRepository } from './conversation.repository';
import { MessageRepository } from './message.repository';

export type { Conversation } from './conversation.entity';
export type { Message } from './conversation-message.entity';

type Node = Pick<Message, 'id' | 'previousId'>;

/** The messages from the first one to `lastId`, in order. `messages` are sorted by position. */
export function branchTo<T extends Node>(messages: readonly T[], lastId: string | null): readonly T[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const branch: T[] = [];
  for (let id = lastId; id !== null;) {
    const message = byId.get(id);
    if (message === undefined) break;
    branch.push(message);
    // A cycle cannot be stored: a message is written after the one before it.
    id = message.previousId;
  }
  return branch.reverse();
}

/** The branch that is shown: to the message that the person chose, else to the newest one. */
export const shownBranch = <T extends Node>(messages: readonly T[], lastId: string | null): readonly T[] =>
  branchTo(messages, messages.some(({ id }) => id === lastId) ? lastId : (messages.at(-1)?.id ?? null));

/** Id of the newest message that builds on this one, or of itself. */
export function newestAfter(messages: readonly Node[], id: string): string {
  const after = new Set([id]);
  let newest = id;
  for (const message of messages) {
    if (message.previousId === null || !after.has(message.previousId)) continue;
    after.add(message.id);
    newest = message.id;
  }
  return newest;
}

/** Ids of a question and of all that were asked in its place, oldest first. */
export const versionsOf = (
  messages: readonly Pick<Message, 'id' | 'previousId' | 'role'>[],
  { previousId }: Node,
): readonly string[] =>
  messages.filter((message) => message.role === 'user' && message.previousId === previousId).map(({ id }) => id);

export interface ReadConversation {
  readonly conversation: Conversation;
  /** The branch that is shown. */
  readonly messages: readonly Message[];
  /** The messages of all branches, by time. */
  readonly all: readonly Message[];
}

/** Reads the conversations of one person, for that person. */
@Injectable()
export class ConversationReader {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly settlement: AnswerSettlement,
    private readonly assistants: AssistantsService,
    private readonly links: SourceLinks,
    private readonly knowledgeBases: KnowledgeBasesService,
  ) {}

  /** @throws AppError `not_found` for missing and foreign conversations */
  async find(caller: Caller, id: string): Promise<Conversation> {
    assertPerson(caller);
    const found = await this.conversations.of(caller).find(id);
    if (found === null || !reaches(caller, found)) throw notFound('Conversation');
    return found;
  }

  /** With all messages. Answers whose run has ended are settled first. @throws as `find` */
  async read(caller: Caller, id: string): Promise<ReadConversation> {
    const conversation = await this.find(caller, id);
    const ofConversation = this.messages.of(caller, id);
    const stored = await ofConversation.all();
    const isSettled = await this.settlement.settle(caller, stored);
    return shownOf(conversation, isSettled ? await ofConversation.all() : stored);
  }

  /**
   * With links that this person can open now; without access to the assistant they carry the person's own rights. Figures
   * and reasons of failures are for people who may edit the assistant.
   */
  async readForPerson(caller: Caller, id: string): Promise<ReadConversation> {
    const { conversation, all } = await this.read(caller, id);
    const assistant = await this.assistant(caller, conversation.assistantId);
    const ownRightsOnly = assistant === null;
    const isAsker = assistant === null || assistant.disclosure === 'none';
    const bases = knowledgeBasesIn(all.flatMap(({ sources }) => sources));
    const withPassages = isAsker ? await this.knowledgeBases.withReadablePassages(caller, bases) : null;
    const renewed = (text: string): string => this.links.renew(text, caller, { ownRightsOnly });
    const shown = (message: Message): Message => {
      const sources = JSON.parse(renewed(JSON.stringify(message.sources))) as Source[];
      const text = message.role === 'user' ? message.text : renewed(message.text);
      const read = { ...message, text, sources };
      return withPassages === null ? read : forAsker(read, withPassages);
    };
    return shownOf(conversation, all.map(shown));
  }

  /** Null without access to the assistant. */
  private assistant(caller: Caller, assistantId: number): Promise<RunnableAssistant | null> {
    return orNull('not_found', () => this.assistants.runnable(caller, assistantId));
  }
}

const shownOf = (conversation: Conversation, all: readonly Message[]): ReadConversation => ({
  conversation,
  messages: shownBranch(all, conversation.lastMessageId),
  all,
});

const forAsker = (message: Message, withPassages: ReadonlySet<string>): Message => ({
  ...message,
  sources: sourcesForAskers(message.sources, withPassages),
  errorDetail: message.errorDetail === null ? null : FAILED_FOR_ASKERS,
});

/** The messages of branches that are not shown, by time. */
export function otherMessages({ messages, all }: Pick<ReadConversation, 'messages' | 'all'>): readonly Message[] {
  const shown = new Set(messages);
  return all.filter((message) => !shown.has(message));
}

/**
 * A credential that asks for several people would mix their conversations, and a key for some assistants belongs to a
 * program. A course opens the conversations of its activities. @throws AppError `forbidden`
 */
export function assertPerson(caller: Caller): void {
  assertActsForPerson(caller);
  if (caller.mayNameEndUser !== undefined)
    throw new AppError('forbidden', 'A conversation belongs to one person. This credential may ask for several people');
}

/** The session of a launch reaches the conversations of its activities, and those outside of courses. */
const reaches = ({ assistantIds, activityIds }: Caller, { assistantId, activityId }: Conversation): boolean =>
  (assistantIds === null || assistantIds.includes(assistantId)) &&
  (activityIds === undefined || activityId === null || activityIds.includes(activityId));
