# SPDX-License-Identifier: BSD-3-Clause
#
# Read by clean-root and test-deb: a bare Debian 12 in $root, and commands in it. The scripts define
# root, log and fail() before. Needs root's rights and debootstrap.

release=bookworm
((EUID == 0)) || fail "only root can make another root"
command -v debootstrap >/dev/null || fail "install debootstrap first"
[[ $root != / ]] || fail "not into the running system"

# The first package source that offers the release, in either of apt's two formats.
mirror_of() {
  find /etc/apt \( -name '*.list' -o -name '*.sources' \) -exec awk -v release="$1" '
    $1 == "deb" { sub(/\[[^]]*\] */, ""); if ($3 == release) print $2 }
    $1 == "URIs:" { uri = $2 }
    $1 == "Suites:" { for (i = 2; i <= NF; i++) if ($i == release) print uri }' {} + |
    sed -n 1p
}

mounted=()
cleanup() {
  local i
  for ((i = ${#mounted[@]} - 1; i >= 0; i--)); do umount --lazy "${mounted[i]}" || true; done
}
trap cleanup EXIT
trap 'exit 130' INT TERM

mount_into() {  # mount_into FOLDER OPTION...
  mkdir -p "$root/$1"
  mount "${@:2}" "$root/$1"
  mounted+=("$root/$1")
}

copy_into() {  # copies the files and folders that exist, with what links point to
  local path
  for path in "$@"; do
    [[ -e $path ]] || continue
    mkdir -p "$root$(dirname "$path")"
    rm -rf "${root:?}$path"
    cp -rL "$path" "$root$path"
  done
}

# Only what says how to reach the network; the rest of the environment is the newcomer's.
settings=()
while IFS='=' read -r name value; do
  case $name in
    http_proxy | https_proxy | no_proxy | HTTP_PROXY | HTTPS_PROXY | NO_PROXY | SSL_CERT_FILE | \
      SSL_CERT_DIR | CURL_CA_BUNDLE | GIT_SSL_CAINFO) settings+=("$name=$value") ;;
  esac
done < <(env)

inside() {
  chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    TERM=dumb LANG=C.UTF-8 "${settings[@]}" bash -c "$1"
}

# Makes the system unless it is there, and gives it this machine's apt settings, certificates, proxy
# and name service, since without them it may reach no packages.
make_root() {
  if [[ ! -e $root/etc/debian_version ]]; then
    local mirror
    mirror=$(mirror_of "$release")
    [[ $mirror ]] || fail "no package source of this machine offers $release"
    echo "making a bare Debian ($release) in $root"
    debootstrap --variant=minbase "$release" "$root" "$mirror" >"$log.debootstrap" 2>&1 ||
      fail "debootstrap failed, see $log.debootstrap"
  fi
  mount_into proc -t proc proc
  mount_into sys -t sysfs -o ro sysfs
  mount_into dev --rbind /dev
  mount --make-rslave "$root/dev"

  rm -f "$root/etc/apt/sources.list"
  copy_into /etc/apt /etc/ssl/certs /etc/resolv.conf /etc/hosts
  copy_into /usr/share/keyrings /usr/local/share/ca-certificates
}
