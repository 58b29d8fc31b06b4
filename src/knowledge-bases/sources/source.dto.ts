import { ApiProperty } from '@nestjs/swagger';
import { IsUrl, Matches, MaxLength } from 'class-validator';
import { MayBeOmitted, PageQueryDto, Trimmed, OneOf, PageOf } from '../../infrastructure/http';
import { SOURCE_KINDS, SOURCE_REFRESHES, type SourceKind, type SourceRefresh } from './source.entity';

const STATUSES = ['pending', 'fetching', 'processing', 'completed', 'failed'] as const;
export type SourceStatus = (typeof STATUSES)[number];

export class CreateSourceDto {
  /** A page, a file, or a video with captions. */
  @ApiProperty({ example: 'https://example.edu/biology/cells' })
  @Trimmed()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true, disallow_auth: true })
  @MaxLength(2000)
  url!: string;

  /** When it is fetched again. Default: `manual`. */
  @MayBeOmitted() @OneOf(SOURCE_REFRESHES) refresh?: SourceRefresh;

  /** Preferred language of captions, two letters. Default: the language of the knowledge base. */
  @MayBeOmitted()
  @Matches(/^[a-z]{2}$/, { message: 'language must be two lower-case letters' })
  @ApiProperty({ example: 'en' })
  language?: string;
}

export class UpdateSourceDto {
  /** When it is fetched again, counted from the last fetch. */
  @OneOf(SOURCE_REFRESHES, { example: 'weekly' }) refresh!: SourceRefresh;
}

export class SourceDto {
  id!: string;
  knowledge_base_id!: string;
  /** Address of the source; the watch page of a video. */
  url!: string;
  @ApiProperty({ enum: SOURCE_KINDS })
  kind!: SourceKind;
  @ApiProperty({ enum: SOURCE_REFRESHES })
  refresh!: SourceRefresh;
  language!: string | null;
  /** `processing`: the content was fetched and is being indexed. */
  @ApiProperty({ enum: STATUSES })
  status!: SourceStatus;
  /** Why the last fetch, or the reading of its content, failed. The content of the last success still answers. */
  error!: string | null;
  /** Code of the failure, e.g. `source.not_found`, `outbound_refused`, `document.no_text`. */
  error_code!: string | null;
  /** Null before the first fetch and after the document was deleted. */
  document_id!: string | null;
  /** Title of the document. */
  title!: string | null;
  /** End of the last fetch. */
  checked_at!: Date | null;
  /** End of the last fetch that succeeded. */
  fetched_at!: Date | null;
  /** Null when it is refreshed by hand. */
  next_refresh_at!: Date | null;
  created_at!: Date;
}

export class SourceListQueryDto extends PageQueryDto {}

export class SourcePageDto extends PageOf(SourceDto) {}
