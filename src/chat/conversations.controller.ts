import { type Caller, type Page, type Source, titleOfSource } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { attachment } from '../files';
import { Access, type BellwetherRequest, CurrentCaller, toPageRequest } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { questionContent } from './question-content';
import { Questions } from './questions.service';
import {
  type Conversation,
  ConversationReader,
  type Message,
  type ReadConversation,
  otherMessages,
  versionsOf,
} from './conversation-reader.service';
import {
  AskDto,
  AskedDto,
  ConversationDto,
  type ConversationMessageDto,
  ConversationPageDto,
  ConversationQueryDto,
  CreateConversationDto,
  ExportedConversationDto,
  OfAssistantQueryDto,
  RenameConversationDto,
  ShowBranchDto,
  WholeConversationDto,
} from './conversation.dto';
import { Conversations } from './conversations.service';

const presentConversation = (conversation: Conversation): ConversationDto => ({
  id: conversation.id,
  assistant: { id: conversation.assistantId, name: conversation.assistantName },
  activity_id: conversation.activityId,
  title: conversation.title,
  created_at: conversation.createdAt.toISOString(),
  updated_at: conversation.updatedAt.toISOString(),
  messages_count: conversation.messagesCount,
});

/** `all`: the messages of all branches. */
export const presentMessage = (message: Message, all: readonly Message[]): ConversationMessageDto => ({
  id: message.id,
  role: message.role,
  content: message.parts === null ? message.text : [...message.parts],
  created_at: message.createdAt.toISOString(),
  run_id: message.runId,
  status: message.status,
  error: message.errorCode === null ? null : { code: message.errorCode, detail: message.errorDetail ?? '' },
  sources: [...message.sources],
  notice: message.notice,
  rating: message.rating,
  previous_id: message.previousId,
  versions: message.role === 'user' ? [...versionsOf(all, message)] : [],
});

const presentWhole = ({ conversation, messages, all }: ReadConversation): WholeConversationDto => ({
  ...presentConversation(conversation),
  messages: messages.map((message) => presentMessage(message, all)),
});

/** With the messages of the branches that are not shown. */
const presentExport = (read: ReadConversation): ExportedConversationDto => ({
  ...presentWhole(read),
  other_messages: otherMessages(read).map((message) => presentMessage(message, read.all)),
});

const presentPage = ({ items, next_cursor, total }: Page<Conversation>): ConversationPageDto => ({
  items: items.map(presentConversation),
  next_cursor,
  total,
});

const PICTURE = '*(picture)*';
const STOPPED = '*(stopped)*';

/** The conversation as a Markdown document, with the sources below each answer. Other branches come last. */
function conversationMarkdown(read: ReadConversation): string {
  const { conversation, messages } = read;
  const { title, assistantName, createdAt } = conversation;
  const head = [`# ${oneLine(title || assistantName)}`, `${oneLine(assistantName)}, ${createdAt.toISOString()}`];
  const sectionsOf = (of: readonly Message[]) => of.map((message) => section(message, assistantName));
  const others = otherMessages(read);
  const rest = others.length === 0 ? [] : ['# Earlier versions', ...sectionsOf(others)];
  return `${[...head, ...sectionsOf(messages), ...rest].join('\n\n')}\n`;
}

/** The name of the file, without its ending. */
const exportName = ({ conversation: { title, assistantName } }: ReadConversation): string =>
  oneLine(title || assistantName)
    .replace(/[/\\:*?"<>|]/g, '-')
    .slice(0, 80)
    .trim() || 'conversation';

function section(message: Message, assistantName: string): string {
  const { role, text, parts, sources, createdAt } = message;
  const speaker = role === 'user' ? 'Question' : oneLine(assistantName);
  const pictures = (parts ?? []).filter(({ type }) => type === 'image_url').map(() => PICTURE);
  const below = [text, ...pictures, ...stateOf(message), ...(sources.length === 0 ? [] : [listOf(sources)])];
  return [`## ${speaker}`, `<!-- ${createdAt.toISOString()} -->`, ...below.filter((part) => part !== '')].join('\n\n');
}

function stateOf({ status, errorCode }: Message): string[] {
  if (status === 'cancelled') return [STOPPED];
  return status === 'failed' ? [`*(failed: ${errorCode ?? 'internal_error'})*`] : [];
}

const listOf = (sources: readonly Source[]): string =>
  sources.map((source, index) => `${source.n ?? index + 1}. ${oneLine(titleOfSource(source))}`).join('\n');

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();

@ApiTags('Conversations')
@Controller('api/v1/conversations')
export class ConversationsController {
  constructor(
    private readonly conversations: Conversations,
    private readonly reader: ConversationReader,
    private readonly questions: Questions,
  ) {}

  @Get()
  @Access({ scope: 'chat', summary: 'Own conversations, the last changed first' })
  async list(@CurrentCaller() caller: Caller, @Query() query: ConversationQueryDto): Promise<ConversationPageDto> {
    const { assistant_id: assistantId, activity_id: activityId, q = '' } = query;
    const filter = { assistantId: assistantId ?? null, activityId: activityId ?? null };
    const wanted = { ...filter, text: q.trim() === '' ? null : q.trim() };
    return presentPage(await this.conversations.list(caller, wanted, toPageRequest(query)));
  }

  @Post()
  @Idempotent()
  @Access({ scope: 'chat', summary: 'Begin a conversation with an assistant' })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() { assistant_id: assistant, activity_id: activity, title = '' }: CreateConversationDto,
  ): Promise<ConversationDto> {
    const begun = await this.conversations.create(caller, { assistant, activity: activity ?? null, title });
    return presentConversation(begun);
  }

  @Delete()
  @HttpCode(204)
  @Access({ scope: 'chat', summary: 'Delete all own conversations, or all with one assistant or of one activity' })
  async removeAll(
    @CurrentCaller() caller: Caller,
    @Query() { assistant_id: assistantId, activity_id: activityId }: OfAssistantQueryDto,
  ): Promise<void> {
    const filter = { assistantId: assistantId ?? null, activityId: activityId ?? null };
    await this.conversations.removeAll(caller, filter);
  }

  @Get(':id')
  @Access({ scope: 'chat', summary: 'A conversation with all its messages' })
  async get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WholeConversationDto> {
    return presentWhole(await this.reader.readForPerson(caller, id));
  }

  @Patch(':id')
  @Access({ scope: 'chat', summary: 'Rename a conversation' })
  async rename(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { title }: RenameConversationDto,
  ): Promise<ConversationDto> {
    return presentConversation(await this.conversations.rename(caller, id, title));
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'chat', summary: 'Delete a conversation', description: 'Its runs stay as long as other runs.' })
  async remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.conversations.remove(caller, id);
  }

  @Post(':id/messages')
  @HttpCode(202)
  @Idempotent()
  @Access({
    scope: 'chat',
    summary: 'Ask a question',
    description:
      'A background run answers: follow its events, or read the conversation later. One question at a time; another one ' +
      'meanwhile is `conversation_busy`.',
  })
  @ApiAcceptedResponse({ type: AskedDto })
  async ask(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { content, replaces }: AskDto,
  ): Promise<AskedDto> {
    const { question, answer, all } = await this.questions.ask(caller, id, questionContent(content), replaces);
    return { question: presentMessage(question, all), answer: presentMessage(answer, all) };
  }

  @Put(':id/branch')
  @Access({
    scope: 'chat',
    summary: 'Show another version of a question',
    description: 'Shows the branch of this question, to its newest message. The next question continues it.',
  })
  async showBranch(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { question_id }: ShowBranchDto,
  ): Promise<WholeConversationDto> {
    await this.conversations.show(caller, id, question_id);
    return presentWhole(await this.reader.readForPerson(caller, id));
  }

  @Get(':id/export')
  @Access({
    scope: 'chat',
    summary: 'Download a conversation',
    description: '`Accept: text/markdown` gives Markdown, anything else JSON.',
  })
  @ApiExtraModels(ExportedConversationDto)
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ExportedConversationDto) } },
      'text/markdown': { schema: { type: 'string' } },
    },
  })
  async export(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    const read = await this.reader.readForPerson(caller, id);
    const isMarkdown = request.accepts(['json', 'text/markdown']) === 'text/markdown';
    const name = `${exportName(read)}.${isMarkdown ? 'md' : 'json'}`;
    response.setHeader('Vary', 'Accept').setHeader('Content-Disposition', attachment(name));
    if (isMarkdown) response.type('text/markdown; charset=utf-8').send(conversationMarkdown(read));
    else response.json(presentExport(read));
  }
}
