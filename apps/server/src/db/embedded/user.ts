import { COULD_NOT_START, type RunAs, runProgram, statIfPresent } from './system.ts';

const USER = 'postgres';

/** The user PostgreSQL must run as, because it refuses root; undefined is the current user. */
export async function chooseRunAs(clusterDir: string): Promise<RunAs | undefined> {
  const ownUid = process.getuid?.();
  if (ownUid === undefined) return undefined;
  const owner = await findOwner(clusterDir);
  // A cluster made by an ordinary user keeps that user, also when root starts it later.
  if (ownUid === 0) return owner ?? (await findUser()) ?? (await createUser());
  if (!owner || owner.uid === ownUid) return undefined;
  throw new Error(
    `${clusterDir} belongs to the user "${owner.name}": start Holdfast as that user or as root, or set DATA_DIR to another folder.`,
  );
}

/** Tried as that user: only the kernel knows the effect of modes, ACLs, mounts and parent folders. */
export async function assertCanEnter(runAs: RunAs, dir: string): Promise<void> {
  const { code, output } = await runProgram('/bin/sh', ['-c', 'cd "$1"', 'sh', dir], { runAs });
  if (code === 0) return;
  if (code === COULD_NOT_START) {
    throw new Error(
      `PostgreSQL does not run as root and this process may not become its user "${runAs.name}" (${output}): start Holdfast as an ordinary user, or set DATABASE_URL.`,
    );
  }
  throw new Error(
    `PostgreSQL does not run as root and its user "${runAs.name}" cannot enter ${dir}: set DATA_DIR to a folder that every user may enter (for example /var/lib/holdfast), or set DATABASE_URL.`,
  );
}

async function findOwner(clusterDir: string): Promise<RunAs | undefined> {
  const owner = await statIfPresent(clusterDir);
  if (!owner || owner.uid === 0) return undefined;
  const { code, output } = await runProgram('id', ['-un', String(owner.uid)]);
  return { uid: owner.uid, gid: owner.gid, name: code === 0 ? output.trim() : String(owner.uid) };
}

async function findUser(): Promise<RunAs | undefined> {
  const uid = await runProgram('id', ['-u', USER]);
  const gid = await runProgram('id', ['-g', USER]);
  if (uid.code !== 0 || gid.code !== 0) return undefined;
  return { uid: Number(uid.output), gid: Number(gid.output), name: USER };
}

async function createUser(): Promise<RunAs> {
  // By its full path: the PATH of a service often lacks /usr/sbin.
  const made = await runProgram('/usr/sbin/useradd', [
    '--system',
    '--user-group',
    '--no-create-home',
    USER,
  ]);
  // Looked up whatever useradd returned: another process may have made the user meanwhile.
  const user = await findUser();
  if (user) return user;
  throw new Error(
    `PostgreSQL does not run as root and its user "${USER}" neither exists nor can be made (${made.output.trim()}): create that user, start Holdfast as an ordinary user, or set DATABASE_URL.`,
  );
}
