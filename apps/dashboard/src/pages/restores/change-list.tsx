import { Box, ColorSwatch, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Name } from '../../components/display.tsx';
import { PermissionList } from '../../components/permission-list.tsx';
import {
  type Change,
  type ChangeView,
  fieldLabel,
  type NameOf,
  type OverwriteChange,
  viewChange,
} from '../../labels/changes.ts';
import { formatCount } from '../../labels/format.ts';

type ChangeListProps = { changes: Change[]; nameOf?: NameOf };

/** What changes about one object, field by field. */
export const ChangeList = ({ changes, nameOf }: ChangeListProps) => (
  <Stack component="dl" gap="xs" m={0}>
    {changes.map((change) => (
      <Box key={change.field} miw={0}>
        <Text component="dt" size="xs" c="dimmed">
          {fieldLabel(change.field)}
        </Text>
        <Box component="dd" m={0} miw={0}>
          <ChangedValue view={viewChange(change, nameOf)} />
        </Box>
      </Box>
    ))}
  </Stack>
);

const gained = { added: 'gains', removed: 'loses' };

const ChangedValue = ({ view }: { view: ChangeView }) => {
  switch (view.kind) {
    case 'permissions':
      return <PermissionList {...view.difference} words={gained} />;
    case 'overwrites':
      return (
        <Stack gap={6}>
          {view.roles.map((role) => (
            <OverwriteLines key={role.id} role={role} />
          ))}
        </Stack>
      );
    case 'order':
      return <Order names={view.names} />;
    case 'colors':
      return <FromTo from={<Colors colors={view.from} />} to={<Colors colors={view.to} />} />;
    case 'text':
      return <FromTo from={<Name>{view.from}</Name>} to={<Name>{view.to}</Name>} />;
  }
};

const OverwriteLines = ({ role: { name, allowed, denied } }: { role: OverwriteChange }) => (
  <div>
    <Text size="sm" fw={500}>
      <Name>{name}</Name>
    </Text>
    <Line label="Allowed" {...allowed} />
    <Line label="Denied" {...denied} />
  </div>
);

type LineProps = { label: string; added: string[]; removed: string[] };

const Line = ({ label, added, removed }: LineProps) =>
  added.length + removed.length > 0 && (
    <Group gap={6} align="baseline">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <PermissionList added={added} removed={removed} words={gained} />
    </Group>
  );

const namesShown = 12;

const Order = ({ names }: { names: string[] }) => (
  <Text size="sm">
    <Name>{names.slice(0, namesShown).join(', ')}</Name>
    {names.length > namesShown && ` and ${formatCount(names.length - namesShown)} more`}
  </Text>
);

const FromTo = ({ from, to }: { from: ReactNode; to: ReactNode }) => (
  <Group gap={6} align="center" style={{ overflowWrap: 'anywhere' }}>
    <Text size="sm" component="span" td="line-through" c="dimmed" miw={0}>
      <VisuallyHidden>from </VisuallyHidden>
      {from}
    </Text>
    <IconArrowRight size={14} aria-hidden style={{ flex: 'none' }} />
    <Text size="sm" component="span" fw={500} miw={0}>
      <VisuallyHidden>to </VisuallyHidden>
      {to}
    </Text>
  </Group>
);

const Colors = ({ colors }: { colors: string[] }) => {
  if (colors.length === 0) return 'none';
  return (
    <Group gap={6} component="span" display="inline-flex">
      {colors.map((color) => (
        <Group key={color} gap={4} component="span" display="inline-flex">
          <ColorSwatch size={12} color={color} aria-hidden />
          {color}
        </Group>
      ))}
    </Group>
  );
};
