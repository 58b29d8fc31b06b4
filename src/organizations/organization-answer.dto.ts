import { type Role, ROLES } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { RERANK_DIALECT_PLUGINS, TRANSLATION_DIALECT_PLUGINS } from '../infrastructure/dialects';
import { INVITATION_STATES, type InvitationState } from './member.entity';
import {
  type Features,
  type ModelChoice,
  USAGE_PEOPLE,
  type UsagePeople,
  VENDOR_USER_IDS,
  type VendorUserIds,
} from './settings/settings.types';
import { PageOf } from '../infrastructure/http';

export class FeaturesDto implements Features {
  multi_tool!: boolean;
  functions!: boolean;
  planned!: boolean;
  sharing!: boolean;
  publishing!: boolean;
  /** Assistants that are published to all may be called by those of other organizations. Off until switched on. */
  assistants_export!: boolean;
  /** Assistants of this organization may call those of others. Off until switched on. */
  assistants_import!: boolean;
  /** Every member may use every assistant of the organization, private ones included. Off until switched on. */
  members_can_use_all!: boolean;
  /** Whether members may open a browser session with an API key. */
  local_sign_in!: boolean;
  /** An assistant is published only when its tests pass on that version. Off until switched on. */
  tests_before_publishing!: boolean;
  /** Owners of assistants may publish without it, with a reason; else administrators only. Off until switched on. */
  owners_override_tests!: boolean;
}

/** Summary for every member. */
export class OrganizationSummaryDto {
  id!: string;
  slug!: string;
  name!: string;
  /** The operator's organization, served by the providers of the environment. */
  is_system!: boolean;
  /** Sign-in, keys and assistants are blocked. */
  suspended!: boolean;
  /** Set when the organization has ended: its data is erased after this time, unless it is restored. */
  erase_after!: string | null;

  features!: FeaturesDto;
  /** Counts changes of the organization and its settings, not of members. */
  version!: number;
  created_at!: string;
  updated_at!: string;
}

export class ProviderDto {
  enabled!: boolean;
  api_key_configured!: boolean;
  base_url!: string | null;
  models!: string[];
  default_model!: string | null;
  fast_model!: string | null;
  tool_use_model!: string | null;
  /** The environment fills the settings that the organization leaves open. */
  environment!: boolean;
}

export class ModelChoiceDto {
  provider!: string;
  model!: string;
}

export class KnowledgeBaseServerDto {
  server_url!: string | null;
  api_token_configured!: boolean;
}

/** A vendor's endpoint that sorts passages by how well they answer a question. */
export class RerankerDto {
  /** Wire format of the endpoint; null without a reranker. */
  @ApiProperty({ enum: RERANK_DIALECT_PLUGINS.map(({ name }) => name) })
  dialect!: string | null;

  @ApiProperty({ example: 'https://api.cohere.com' })
  url!: string | null;

  @ApiProperty({ example: 'rerank-v3.5' })
  model!: string | null;

  api_key_configured!: boolean;
}

/** A service that translates questions into the language of the material. */
export class TranslatorDto {
  /** Wire format of the endpoint; null without a translator. */
  @ApiProperty({ enum: TRANSLATION_DIALECT_PLUGINS.map(({ name }) => name) })
  dialect!: string | null;

  @ApiProperty({ example: 'https://translate.example.org' })
  url!: string | null;

  api_key_configured!: boolean;
}

export class MoodleDto {
  api_url!: string | null;
  token_configured!: boolean;
  /** The environment supplies the address, and the token unless one is stored. */
  environment!: boolean;
}

/** A setting that has no effect as written. */
export class SettingDiagnosticDto {
  @ApiProperty({ enum: ['warning'] })
  severity!: 'warning';

  @ApiProperty({ enum: ['connector.model_unavailable'] })
  code!: 'connector.model_unavailable';

  message!: string;

  model!: string;

  /** The same form as in a PATCH. */
  @ApiProperty({ example: 'providers.openai.fast_model' })
  path!: string;
}

/** Days after which data is deleted; null keeps it. */
export class RetentionDto {
  /** Records of runs, with their figures. */
  runs_days!: number | null;
  /** Questions, answers and reports of runs. The figures stay. The environment's `RUN_RETENTION` is the upper bound. */
  run_contents_days!: number | null;
  /** Conversations of people with assistants, since their last question. */
  conversations_days!: number | null;
  /** Files that no assistant and no knowledge base uses. */
  uploads_days!: number | null;
  audit_days!: number | null;
}

export class PrivacyDto {
  /** Identifiers of people in requests to vendors: as the client sent them, none, or a pseudonym. */
  @ApiProperty({ enum: VENDOR_USER_IDS })
  vendor_user_ids!: VendorUserIds;

  /** Whether usage by person shows names or pseudonyms. */
  @ApiProperty({ enum: USAGE_PEOPLE })
  usage_people!: UsagePeople;

  retention!: RetentionDto;
}

export class McpServerDto {
  url!: string | null;
  enabled!: boolean;
  token_configured!: boolean;
}

export class McpDto {
  @ApiProperty({ additionalProperties: { $ref: '#/components/schemas/McpServerDto' } })
  servers!: Readonly<Record<string, McpServerDto>>;
}

/** Every setting, for administrators. Secrets are shown as present or absent only. */
export class OrganizationDto extends OrganizationSummaryDto {
  @ApiProperty({ additionalProperties: { $ref: '#/components/schemas/ProviderDto' } })
  providers!: Readonly<Record<string, ProviderDto>>;

  /** Models that assistants may use; empty allows every model. */
  models!: string[];

  @ApiProperty({ type: ModelChoiceDto, nullable: true })
  default_model!: ModelChoice | null;

  knowledge_base!: KnowledgeBaseServerDto;
  reranker!: RerankerDto;
  translator!: TranslatorDto;
  moodle!: MoodleDto;
  mcp!: McpDto;

  @ApiProperty({ additionalProperties: true })
  limits!: object;

  privacy!: PrivacyDto;

  /** Prices of models per million tokens: `currency` and `models`. */
  @ApiProperty({ additionalProperties: true })
  prices!: object;

  /** Configured models that `models` does not allow: the default model answers instead. */
  diagnostics!: SettingDiagnosticDto[];
}

export class OrganizationPageDto extends PageOf(OrganizationSummaryDto) {}

export class MemberInvitationDto {
  /** `link`: an administrator made a sign-in link. `sending`, `sent`, `failed`: the e-mail. */
  @ApiProperty({ enum: INVITATION_STATES })
  state!: InvitationState;

  invited_at!: string;
  /** Why the e-mail was not sent, in the words of the mail server. */
  problem!: string | null;
}

export class MemberDto {
  user_id!: string;
  email!: string;
  name!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  disabled!: boolean;
  created_at!: string;
  /** First session of a browser; null for somebody who never signed in. */
  first_signed_in_at!: string | null;
  /** The last one; null for a member who was not invited. */
  invitation!: MemberInvitationDto | null;
}

/** Ways to let a new member in. */
export class InvitationWaysDto {
  /** False while people sign in through their institution only. */
  by_link!: boolean;
  /** `SMTP_URL` names a mail server. */
  by_mail!: boolean;
}

export class MemberPageDto {
  items!: MemberDto[];
  next_cursor!: string | null;
  total!: number;
  invitations!: InvitationWaysDto;
}
