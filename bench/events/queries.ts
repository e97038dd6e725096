import type { SQL } from 'bun';

/** Accounts of people who are signed in, each with the given hash of their session's token. */
export const insertSignedIn = async (sql: SQL, tokenHashes: readonly string[]): Promise<void> => {
  const hashes = tokenHashes.join(' ');
  await sql`
    insert into accounts (id, platform_id, username)
    select gen_random_uuid(), 'bench-' || hash, 'bench'
    from unnest(string_to_array(${hashes}, ' ')) as hash`;
  await sql`
    insert into sessions (id, token_hash, platform_id, username, expires_at)
    select gen_random_uuid(), hash, 'bench-' || hash, 'bench', now() + interval '1 day'
    from unnest(string_to_array(${hashes}, ' ')) as hash`;
};

/** Signs the owner of an account in. */
export const insertSessionOf = async (
  sql: SQL,
  accountId: string,
  tokenHash: string,
): Promise<void> => {
  await sql`
    insert into sessions (id, token_hash, platform_id, username, expires_at)
    select gen_random_uuid(), ${tokenHash}, platform_id, 'bench', now() + interval '1 day'
    from accounts where id = ${accountId}`;
};
