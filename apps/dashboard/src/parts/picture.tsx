import { Avatar, type AvatarProps } from '@mantine/core';

/** A picture of the platform by way of the service: the browser speaks to nobody else. */
export const ownPictureUrl = (url: string): string => {
  const [, kind, id, hash] =
    /\/(avatars|icons)\/(\d+)\/(\w+)\.\w+$/.exec(new URL(url).pathname) ?? [];
  return kind ? `/dashboard/pictures/${kind}/${id}/${hash}` : new URL(url).pathname;
};

type PictureProps = Pick<AvatarProps, 'size' | 'radius'> & { src: string };

/** Of a person or a server; whose it is stands beside it. */
export const Picture = ({ src, ...look }: PictureProps) => (
  <Avatar src={ownPictureUrl(src)} alt="" {...look} />
);
