import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsISO8601, IsOptional, IsUUID } from 'class-validator';
import { Between, FilledText, Id, IsName, MayBeOmitted, Moment } from '../../src/infrastructure/http';

/** Most people whom one link lets in, so that a code that got around makes no crowd of accounts. */
export const MOST_USES = 5_000;
const USUAL_USES = 500;

export class CreateJoinLinkDto {
  /** Shown on the page of the link and in the list. */
  @IsName({ example: 'Biology 101' }) name!: string;

  /** The role of those who join. */
  @ApiProperty({ enum: ['member'], required: false })
  @MayBeOmitted()
  @IsIn(['member'])
  role?: 'member';

  /** The assistant whose chat the link leads to: one that the caller may edit. Absent: the list of assistants. */
  @ApiProperty({ required: false, example: 12 }) @MayBeOmitted() @IsInt() assistant_id?: number;

  /** A group that those who join get into: one that the caller manages. */
  @ApiProperty({ required: false, format: 'uuid' }) @MayBeOmitted() @IsUUID() group_id?: string;

  /** Absent or null: the link works until it is revoked. */
  @ApiProperty({ required: false, nullable: true, type: String, format: 'date-time', example: '2027-02-28T22:00:00Z' })
  @IsOptional()
  @IsISO8601({ strict: true })
  expires_at?: string | null;

  /** People who may join. */
  @Between(1, MOST_USES, { required: false, default: USUAL_USES }) @MayBeOmitted() uses: number = USUAL_USES;
}

export class JoinLinkDto {
  @Id() id!: string;
  @ApiProperty({ example: 'Biology 101' }) name!: string;
  @ApiProperty({ enum: ['member'] }) role!: 'member';

  /** Absolute address of the page that asks for a name. */
  @ApiProperty({ example: 'https://bellwether.example.edu/join/K7M2QX4D' }) url!: string;

  /** Typed at `/join` by people who cannot open the link. */
  @ApiProperty({ example: 'K7M2QX4D' }) code!: string;

  @ApiProperty({ example: 12 }) assistant_id!: number | null;
  @Id() group_id!: string | null;
  @Moment() expires_at!: string | null;
  @ApiProperty({ example: 500 }) uses!: number;
  /** People who joined. */
  @ApiProperty({ example: 28 }) used!: number;
  /** `open`: it lets people in. */
  @ApiProperty({ enum: ['open', 'spent', 'expired'] }) state!: 'open' | 'spent' | 'expired';
  /** The person who made it. */
  @Id() created_by!: string;
  @Moment() created_at!: string;
}

export class JoinLinksDto {
  items!: JoinLinkDto[];
}

/** Facts for the page of a link, before somebody joins. */
export class JoinOfferDto {
  /** Name of the link. */
  @ApiProperty({ example: 'Biology 101' }) name!: string;
  @ApiProperty({ example: 'Faculty of Science' }) organization!: string;
  /** Its slug: whoever is signed in there stays who they are, others give a name. */
  @ApiProperty({ example: 'science' }) organization_slug!: string;
  /** Name of the assistant that it leads to. */
  @ApiProperty({ example: 'Course desk' }) assistant!: string | null;
}

export class JoinDto {
  /** The code that the teacher shows; case, spaces and hyphens do not matter. */
  @FilledText(64, { example: 'K7M2-QX4D' }) code!: string;

  /** How the teacher and the class see the person. Not needed from somebody who is signed in here. */
  @MayBeOmitted()
  @IsName({ example: 'Ada Lovelace', required: false })
  name?: string;
}

export class JoinedDto {
  /** Path of the page that the link leads to. */
  @ApiProperty({ example: '/chat/12' }) redirect!: string;
}
