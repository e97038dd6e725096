import { PageHead } from '../../parts/page-head.tsx';

export const Appeals = () => <PageHead title="Appeals" />;
