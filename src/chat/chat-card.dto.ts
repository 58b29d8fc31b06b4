import { ApiProperty } from '@nestjs/swagger';
import { ANSWERS, type Answers } from './answer-modes.service';

export const READERS = ['owner', 'editors', 'administrators'] as const;
export type Reader = (typeof READERS)[number];

export class ChatAssistantDto {
  id!: number;
  name!: string;
  description!: string;
}

export class ChatOrganizationDto {
  name!: string;
}

export const CLOSED = ['paused', 'withdrawn'] as const;

export class ChatClosedDto {
  /** Switched off for the time being, or no longer published or shared. */
  @ApiProperty({ enum: CLOSED })
  reason!: (typeof CLOSED)[number];
  /** Name of the owner, who can open a paused assistant again. */
  @ApiProperty({ example: 'Tina Larsen' })
  owner!: string | null;
}

export class ChatStorageDto {
  /** Days after the last question; null keeps conversations until the person deletes them. */
  @ApiProperty({ example: 365 })
  kept_days!: number | null;
  /** People beside the asker who can read the questions, as runs of the assistant. */
  @ApiProperty({ enum: READERS, isArray: true })
  readers!: Reader[];
}

/** An assistant as the chat shows it, without prompts and tools. */
export class ChatCardDto {
  assistant!: ChatAssistantDto;
  /** The organization that owns the assistant. */
  organization!: ChatOrganizationDto;
  @ApiProperty({ example: ['What do the light reactions produce?'] })
  suggested_questions!: string[];
  /** The assistant sees pictures. */
  vision!: boolean;
  can_edit!: boolean;
  /**
   * Written by a model; quotations from the material; for people who edit the assistant, its prompt; or none, while it
   * cannot answer.
   */
  @ApiProperty({ enum: ANSWERS })
  answers!: Answers;
  storage!: ChatStorageDto;
  /** Why the assistant takes no questions now; own conversations can still be read. Null while it takes them. */
  closed!: ChatClosedDto | null;
}
