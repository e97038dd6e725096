/** A folder of this machine, seen at a path of the root. */
type Bind = { from: string; at: string };

export type Entered = {
  root: string;
  command: string[];
  user?: string;
  workdir: string;
  binds?: Bind[];
  /** Nothing but the volumes can be written. */
  isReadOnly?: boolean;
  /** Folders of the root with contents of their own; each has the owner and mode that it has in the root. */
  volumes?: string[];
};

/**
 * The command that runs a program inside a root as a container would, but with this machine's network and
 * processes. Every step replaces the one before, so signals reach the program itself.
 */
export const enterRoot = (entered: Entered): string[] => {
  const { root, command, user = '0:0', workdir, binds = [], volumes = [] } = entered;
  const mounts = [
    // All mounts end with the program.
    `mount --bind ${quote(root)} ${quote(root)}`,
    ...(entered.isReadOnly ? [`mount -o remount,bind,ro ${quote(root)}`] : []),
    `mount -t proc proc ${quote(`${root}/proc`)}`,
    `mount --rbind /dev ${quote(`${root}/dev`)}`,
    `mount -t tmpfs tmpfs ${quote(`${root}/run`)}`,
    ...volumes.map((path) => mountVolume(`${root}${path}`)),
    ...binds.map(({ from, at }) => {
      const target = quote(`${root}${at}`);
      return `mkdir -p ${target} && mount --bind ${quote(from)} ${target}`;
    }),
  ];
  const inside = `cd ${quote(workdir)} && exec "$@"`;
  const enter = `exec chroot --userspec=${quote(user)} ${quote(root)} /bin/sh -c ${quote(inside)} sh "$@"`;
  return ['unshare', '--mount', 'sh', '-ec', [...mounts, enter].join('\n'), 'sh', ...command];
};

const mountVolume = (path: string): string =>
  `options=$(stat -c uid=%u,gid=%g,mode=%a ${quote(path)})
mount -t tmpfs -o "$options" tmpfs ${quote(path)}`;

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
