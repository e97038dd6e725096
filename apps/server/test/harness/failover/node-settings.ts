/** Of a node of the cluster: its name, and where its parts listen. */
export type NodePlace = { name: string; port: number; restPort: number };

export const superuser = { name: 'postgres', password: 'superuser-word' };

type Surroundings = { folder: string; binaries: string; etcdPort: number };

const loopback = '127.0.0.1';

/**
 * As `docs/operations.md` shows it. JSON is YAML too, so nothing has to be quoted here. The smallest `ttl`
 * that Patroni takes, and a short `loop_wait`, so that a run does not take longer than it must. By etcd's
 * second interface: with its third one, Patroni before 3.0.3 lets a suspended primary that wakes up take
 * the lock from its successor, and what that one had acknowledged is lost.
 */
export const nodeSettings = (
  { name, port, restPort }: NodePlace,
  { folder, binaries, etcdPort }: Surroundings,
): string =>
  JSON.stringify({
    scope: 'holdfast',
    name,
    restapi: { listen: `${loopback}:${restPort}`, connect_address: `${loopback}:${restPort}` },
    etcd: { host: `${loopback}:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 1,
        retry_timeout: 3,
        master_start_timeout: 0,
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 200,
            wal_log_hints: 'on',
            wal_keep_size: '256MB',
            shared_buffers: '64MB',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
      pg_hba: [
        `host replication all ${loopback}/32 scram-sha-256`,
        `host all all ${loopback}/32 scram-sha-256`,
      ],
    },
    postgresql: {
      listen: `${loopback}:${port}`,
      connect_address: `${loopback}:${port}`,
      data_dir: `${folder}/${name}`,
      bin_dir: binaries,
      pgpass: `${folder}/${name}.pgpass`,
      parameters: { unix_socket_directories: folder, password_encryption: 'scram-sha-256' },
      authentication: {
        superuser: { username: superuser.name, password: superuser.password },
        replication: { username: 'replicator', password: 'replicator-word' },
        rewind: { username: 'rewinder', password: 'rewinder-word' },
      },
    },
  });
