import { Badge, Group, VisuallyHidden } from '@mantine/core';
import { isDangerous, permissionLabel } from '../labels/permissions.ts';

type PermissionListProps = {
  added: string[];
  removed?: string[];
  /** What adding and removing is here, for screen readers: "may" and "may not". */
  words: { added: string; removed: string };
};

/** Permissions by name: given ones with a plus, taken ones with a minus; dangerous ones stand out. */
export const PermissionList = ({ added, removed = [], words }: PermissionListProps) => (
  <Group gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
    {added.map((permission) => (
      <li key={`+${permission}`}>
        <Badge color={isDangerous(permission) ? 'orange' : 'green'} style={wrapping}>
          <VisuallyHidden>{words.added} </VisuallyHidden>
          <span aria-hidden>+ </span>
          {permissionLabel(permission)}
        </Badge>
      </li>
    ))}
    {removed.map((permission) => (
      <li key={`-${permission}`}>
        <Badge color="gray" style={wrapping}>
          <VisuallyHidden>{words.removed} </VisuallyHidden>
          <span aria-hidden>− </span>
          {permissionLabel(permission)}
        </Badge>
      </li>
    ))}
  </Group>
);

const wrapping = { fontWeight: 500 };
