import { Baseline } from './baseline';

/** Conversations of people with assistants. */
export class BaselineChat1700000000014 extends Baseline {
  readonly name = 'BaselineChat1700000000014';
  protected readonly schema = `
    CREATE TABLE conversations (
      id uuid CONSTRAINT conversations_pk PRIMARY KEY,
      organization_id uuid NOT NULL CONSTRAINT conversations_organization_fk REFERENCES organizations (id),
      user_id uuid NOT NULL CONSTRAINT conversations_user_fk REFERENCES users (id) ON DELETE CASCADE,
      assistant_id integer NOT NULL,
      assistant_name text NOT NULL,
      title text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      last_message_id uuid,
      activity_id uuid
    );
    CREATE INDEX conversations_activity_idx ON conversations (activity_id, updated_at) WHERE activity_id IS NOT NULL;
    CREATE INDEX conversations_age_idx ON conversations (organization_id, updated_at);
    CREATE INDEX conversations_user_idx ON conversations (organization_id, user_id, updated_at, id);

    CREATE TABLE conversation_messages (
      id uuid CONSTRAINT conversation_messages_pk PRIMARY KEY,
      organization_id uuid NOT NULL CONSTRAINT conversation_messages_organization_fk REFERENCES organizations (id),
      conversation_id uuid NOT NULL
        CONSTRAINT conversation_messages_conversation_fk REFERENCES conversations (id) ON DELETE CASCADE,
      user_id uuid NOT NULL,
      "position" integer NOT NULL,
      role text NOT NULL,
      text text NOT NULL,
      parts jsonb,
      run_id uuid,
      status text NOT NULL,
      error_code text,
      error_detail text,
      sources jsonb NOT NULL DEFAULT '[]',
      created_at timestamptz NOT NULL DEFAULT now(),
      previous_id uuid,
      notice jsonb,
      CONSTRAINT conversation_messages_position_uq UNIQUE (conversation_id, "position"),
      CONSTRAINT conversation_messages_role_ck CHECK (role IN ('user', 'assistant')),
      CONSTRAINT conversation_messages_status_ck CHECK (status IN ('running', 'completed', 'failed', 'cancelled'))
    );
    CREATE INDEX conversation_messages_running_idx ON conversation_messages (created_at) WHERE status = 'running';
    CREATE INDEX conversation_messages_user_idx ON conversation_messages (organization_id, user_id)`;
}
