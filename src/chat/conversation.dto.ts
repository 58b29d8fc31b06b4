import { ApiProperty } from '@nestjs/swagger';
import { IsDefined, IsUUID } from 'class-validator';
import {
  IsName,
  MayBeOmitted,
  PageOf,
  PageQueryDto,
  Between,
  QueryBetween,
  Text,
  Id,
  Moment,
} from '../infrastructure/http';
import { RATING_VALUES, type RatingValue } from '../runs';
import { MESSAGE_STATUSES, type MessageStatus } from './conversation-message.entity';

const MAX_ID = 2_147_483_647;

export class CreateConversationDto {
  @Between(1, MAX_ID, { example: 7 }) assistant_id!: number;

  /** The activity of a course in which the question is asked. A launch from a course chooses its own. */
  @MayBeOmitted()
  @IsUUID()
  activity_id?: string;

  /** Without it the first question names the conversation. */
  @MayBeOmitted() @IsName({ required: false, example: 'Photosynthesis' }) title?: string;
}

export class RenameConversationDto {
  @IsName({ example: 'Photosynthesis, exam' }) title!: string;
}

export class OfAssistantQueryDto {
  /** Only conversations with this assistant. */
  @MayBeOmitted() @QueryBetween(1, MAX_ID) assistant_id?: number;

  /** Only conversations of this activity of a course. */
  @MayBeOmitted()
  @IsUUID()
  activity_id?: string;
}

export class ConversationQueryDto extends PageQueryDto {
  /** Only conversations with this assistant. */
  @MayBeOmitted() @QueryBetween(1, MAX_ID) assistant_id?: number;

  /** Only conversations of this activity of a course. */
  @MayBeOmitted()
  @IsUUID()
  activity_id?: string;

  /** Part of the title, a question or an answer. */
  @MayBeOmitted() @Text(200) q?: string;
}

const CONTENT = {
  oneOf: [
    { type: 'string' },
    {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: { type: 'string', enum: ['text', 'image_url'] },
          text: { type: 'string' },
          image_url: { type: 'object', properties: { url: { type: 'string' } } },
        },
        required: ['type'],
      },
    },
  ],
};

export class AskDto {
  /** Text, or OpenAI's content parts: `text`, and `image_url` with a data URL or a web address. */
  @ApiProperty({ ...CONTENT, example: 'What do the light reactions produce?' })
  @IsDefined({ message: 'is required' })
  content!: unknown;

  /** Id of a question that is asked again or edited. It stays with everything after it, as another branch. */
  @MayBeOmitted()
  @IsUUID()
  replaces?: string;
}

export class ConversationAssistantDto {
  id!: number;
  name!: string;
}

export class ConversationDto {
  @Id() id!: string;
  assistant!: ConversationAssistantDto;
  /** The activity of a course in which it was begun; null outside of courses. */
  @Id() activity_id!: string | null;
  /** Empty before the first question. */
  @ApiProperty({ example: 'What do the light reactions produce?' })
  title!: string;
  @Moment() created_at!: string;
  /** Time of the last question or change of the title. */
  @Moment() updated_at!: string;
  /** Number of messages, all branches together. */
  messages_count!: number;
}

export class ConversationPageDto extends PageOf(ConversationDto) {}

export class MessageErrorDto {
  /** docs/reference/errors.md */
  @ApiProperty({ example: 'upstream_error' })
  code!: string;
  detail!: string;
}

export class MessageRatingDto {
  @ApiProperty({ enum: RATING_VALUES })
  value!: RatingValue;
  reason!: string | null;
}

export class NoticeLanguagesDto {
  /** Language of the question. */
  @ApiProperty({ example: 'es' })
  question!: string;
  /** Languages of the material. */
  @ApiProperty({ example: ['en'] })
  material!: readonly string[];
}

/** A notice to the reader about the search behind an answer. */
export class SearchNoticeDto {
  /** The material hardly fits the question. */
  weak!: boolean;
  /** The question with its typing errors corrected. */
  @ApiProperty({ example: 'isolation level' })
  searched_for!: string | null;
  /** The question is in another language than the material, and nothing translated it. */
  languages!: NoticeLanguagesDto | null;
}

export class ConversationMessageDto {
  @Id() id!: string;
  @ApiProperty({ enum: ['user', 'assistant'] })
  role!: 'user' | 'assistant';
  /** Empty while the answer is running: follow the events of its run. */
  @ApiProperty({ ...CONTENT, example: 'They produce ATP and NADPH [1].' })
  content!: string | object[];
  @Moment() created_at!: string;
  /** The run that answers; null for questions. */
  @Id() run_id!: string | null;
  /** A question is always `completed`. */
  @ApiProperty({ enum: MESSAGE_STATUSES })
  status!: MessageStatus;
  error!: MessageErrorDto | null;
  /** Sources of the answer (docs/reference/events.md). */
  @ApiProperty({ items: { type: 'object', additionalProperties: true } })
  sources!: object[];
  /** Null for a question, and where there is nothing to tell. */
  notice!: SearchNoticeDto | null;
  rating!: MessageRatingDto | null;
  /** The message before it; null for a first question. */
  @Id() previous_id!: string | null;
  /** Versions of a question: its id and those of the questions asked in its place, oldest first. */
  versions!: string[];
}

export class WholeConversationDto extends ConversationDto {
  /** The branch that is shown. */
  messages!: ConversationMessageDto[];
}

export class ExportedConversationDto extends WholeConversationDto {
  /** The messages of all other branches, by time. */
  other_messages!: ConversationMessageDto[];
}

export class ShowBranchDto {
  /** A question of the branch; one of the `versions` of a question. */
  @IsUUID()
  question_id!: string;
}

export class AskedDto {
  question!: ConversationMessageDto;
  answer!: ConversationMessageDto;
}
