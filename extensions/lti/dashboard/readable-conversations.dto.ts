import { ApiProperty } from '@nestjs/swagger';
import { ConversationMessageDto } from '../../../src/chat';
import { PageOf, Id, Moment } from '../../../src/infrastructure/http';
import { ActivityAssistantDto } from '../activities/activity.dto';

export class ReadablePersonDto {
  /** Null in an anonymous activity. */
  @ApiProperty({ example: 'Ane Etxeberria' })
  name!: string | null;
  /** Id at the learning platform, for a grade; null in an anonymous activity. */
  @ApiProperty({ example: '29123' })
  person!: string | null;
  /** The same for all conversations of the person in this activity; empty beside a name. */
  @ApiProperty({ example: '7F3A21' })
  pseudonym!: string;
}

export class ReadableConversationDto {
  @Id() id!: string;
  person!: ReadablePersonDto;
  assistant!: ActivityAssistantDto;
  /** Empty where the first question was asked before the agreement. */
  @ApiProperty({ example: 'What is a standard deviation?' })
  title!: string;
  @Moment() updated_at!: string;
  /** Questions since the agreement. */
  questions!: number;
}

export class ReadableConversationPageDto extends PageOf(ReadableConversationDto) {}

export class ProposedGradeDto {
  @ApiProperty({ example: 7.5 })
  score!: number;
  @ApiProperty({ example: 10 })
  maximum!: number;
  /** The answer that has the mark. */
  comment!: string;
}

export class ReadWholeConversationDto extends ReadableConversationDto {
  /** Messages since the agreement. */
  messages!: ConversationMessageDto[];
  /** The mark of the last answer to a rubric, to be checked before it is handed over; null without one. */
  proposed_grade!: ProposedGradeDto | null;
}
