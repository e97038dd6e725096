import { Badge, Stack, Text } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { Name } from '../../../components/display.tsx';
import { PermissionList } from '../../../components/permission-list.tsx';
import { colorText } from '../../../labels/contents.ts';
import { formatCount } from '../../../labels/format.ts';
import { isDangerous } from '../../../labels/permissions.ts';
import classes from './contents.module.css';
import type { Role } from './find-in-contents.ts';

/** The roles, highest first; the permissions of each on demand. */
export const RoleList = ({ roles }: { roles: Role[] }) => (
  <ul className={classes.list} aria-label="Roles">
    {roles.map((role) => (
      <li key={role.platformId}>
        <RoleRow role={role} />
      </li>
    ))}
  </ul>
);

const RoleRow = ({ role }: { role: Role }) => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={classes.row}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={classes.mark}>
          <RoleMark role={role} />
        </span>
        <span className={classes.name}>
          <Name>{role.name}</Name>
        </span>
        <span className={classes.marks}>
          {role.isManaged && <Badge size="sm">bot</Badge>}
          <PowerMark role={role} />
        </span>
        <IconChevronRight className={classes.chevron} data-open={isOpen} size={16} aria-hidden />
      </button>
      {isOpen && <RoleDetails role={role} />}
    </>
  );
};

const PowerMark = ({ role: { permissions } }: { role: Role }) => {
  if (permissions.includes('ADMINISTRATOR')) {
    return (
      <Badge size="sm" color="orange">
        Administrator
      </Badge>
    );
  }
  const powers = permissions.filter(isDangerous).length;
  return (
    powers > 0 && (
      <Badge size="sm" color="orange">
        {formatCount(powers)} dangerous
      </Badge>
    )
  );
};

/** Its picture, or else its colour. */
const RoleMark = ({ role }: { role: Role }) => {
  if (role.icon) return <img src={role.icon} alt="" width={18} height={18} />;
  if (role.unicodeEmoji) return <span aria-hidden>{role.unicodeEmoji}</span>;
  return <span className={classes.swatch} style={{ background: backgroundOf(role) }} />;
};

const backgroundOf = ({ color, secondaryColor, tertiaryColor }: Role): string => {
  const colors = [color, secondaryColor, tertiaryColor].flatMap((part) => colorText(part) ?? []);
  if (colors.length > 1) return `linear-gradient(135deg, ${colors.join(', ')})`;
  return colors[0] ?? 'var(--mantine-color-gray-5)';
};

const traitsOf = ({ color, isHoisted, isMentionable, isManaged }: Role): string =>
  [
    colorText(color) ? `Colour ${colorText(color)}` : 'No colour',
    ...(isHoisted ? ['shown apart from others'] : []),
    ...(isMentionable ? ['anyone can mention it'] : []),
    ...(isManaged ? ['made by a bot, an integration or boosting'] : []),
  ].join(', ');

const RoleDetails = ({ role }: { role: Role }) => (
  <Stack className={classes.details} gap={6}>
    <Text size="sm">{traitsOf(role)}.</Text>
    {role.permissions.length > 0 ? (
      <PermissionList added={role.permissions} words={{ added: 'may', removed: 'may not' }} />
    ) : (
      <Text size="sm" c="dimmed">
        No permissions of its own.
      </Text>
    )}
  </Stack>
);
