import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsDefined, IsInt, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { IsName, MayBeOmitted, PageOf, PageQueryDto } from '../infrastructure/http';
import { RATING_VALUES, type RatingValue } from '../runs';
import { MESSAGE_STATUSES, type MessageStatus } from './conversation.types';

const MAX_ID = 2_147_483_647;

export class CreateConversationDto {
  @ApiProperty({ type: 'integer', example: 7 })
  @IsInt()
  @Min(1)
  @Max(MAX_ID)
  assistant_id!: number;

  /** The activity of a course in which the question is asked. A launch from a course chooses its own. */
  @ApiPropertyOptional({ format: 'uuid' })
  @MayBeOmitted()
  @IsUUID()
  activity_id?: string;

  /** Without it the first question names the conversation. */
  @MayBeOmitted()
  @IsName({ required: false, example: 'Photosynthesis' })
  title?: string;
}

export class RenameConversationDto {
  @IsName({ example: 'Photosynthesis, exam' })
  title!: string;
}

export class OfAssistantQueryDto {
  /** Only conversations with this assistant. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_ID)
  assistant_id?: number;

  /** Only conversations of this activity of a course. */
  @ApiPropertyOptional({ format: 'uuid' })
  @MayBeOmitted()
  @IsUUID()
  activity_id?: string;
}

export class ConversationQueryDto extends PageQueryDto {
  /** Only conversations with this assistant. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_ID)
  assistant_id?: number;

  /** Only conversations of this activity of a course. */
  @ApiPropertyOptional({ format: 'uuid' })
  @MayBeOmitted()
  @IsUUID()
  activity_id?: string;

  /** Part of the title, a question or an answer. */
  @MayBeOmitted()
  @IsString()
  @MaxLength(200)
  q?: string;
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
  @ApiPropertyOptional({ format: 'uuid' })
  replaces?: string;
}

export class ConversationAssistantDto {
  id!: number;
  name!: string;
}

export class ConversationDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  assistant!: ConversationAssistantDto;
  /** The activity of a course in which it was begun; null outside of courses. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  activity_id!: string | null;
  /** Empty before the first question. */
  @ApiProperty({ example: 'What do the light reactions produce?' })
  title!: string;
  @ApiProperty({ format: 'date-time' })
  created_at!: string;
  /** Time of the last question or change of the title. */
  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
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
  @ApiProperty({ type: String, nullable: true })
  reason!: string | null;
}

export class NoticeLanguagesDto {
  /** Language of the question. */
  @ApiProperty({ example: 'es' })
  question!: string;
  /** Languages of the material. */
  @ApiProperty({ type: [String], example: ['en'] })
  material!: readonly string[];
}

/** A notice to the reader about the search behind an answer. */
export class SearchNoticeDto {
  /** The material hardly fits the question. */
  weak!: boolean;
  /** The question with its typing errors corrected. */
  @ApiProperty({ type: String, nullable: true, example: 'isolation level' })
  searched_for!: string | null;
  /** The question is in another language than the material, and nothing translated it. */
  @ApiProperty({ type: NoticeLanguagesDto, nullable: true })
  languages!: NoticeLanguagesDto | null;
}

export class ConversationMessageDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ enum: ['user', 'assistant'] })
  role!: 'user' | 'assistant';
  /** Empty while the answer is running: follow the events of its run. */
  @ApiProperty({ ...CONTENT, example: 'They produce ATP and NADPH [1].' })
  content!: string | object[];
  @ApiProperty({ format: 'date-time' })
  created_at!: string;
  /** The run that answers; null for questions. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  run_id!: string | null;
  /** A question is always `completed`. */
  @ApiProperty({ enum: MESSAGE_STATUSES })
  status!: MessageStatus;
  @ApiProperty({ type: MessageErrorDto, nullable: true })
  error!: MessageErrorDto | null;
  /** Sources of the answer (docs/reference/events.md). */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  sources!: object[];
  /** Null for a question, and where there is nothing to tell. */
  @ApiProperty({ type: SearchNoticeDto, nullable: true })
  notice!: SearchNoticeDto | null;
  @ApiProperty({ type: MessageRatingDto, nullable: true })
  rating!: MessageRatingDto | null;
  /** The message before it; null for a first question. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  previous_id!: string | null;
  /** Versions of a question: its id and those of the questions asked in its place, oldest first. */
  @ApiProperty({ type: [String] })
  versions!: string[];
}

export class WholeConversationDto extends ConversationDto {
  /** The branch that is shown. */
  @ApiProperty({ type: [ConversationMessageDto] })
  messages!: ConversationMessageDto[];
}

export class ExportedConversationDto extends WholeConversationDto {
  /** The messages of all other branches, by time. */
  @ApiProperty({ type: [ConversationMessageDto] })
  other_messages!: ConversationMessageDto[];
}

export class ShowBranchDto {
  /** A question of the branch; one of the `versions` of a question. */
  @IsUUID()
  @ApiProperty({ format: 'uuid' })
  question_id!: string;
}

export class AskedDto {
  question!: ConversationMessageDto;
  answer!: ConversationMessageDto;
}
