#!/bin/sh
# Real mail servers for the tests: Dovecot for IMAP, Exim for SMTP, from the packages of Debian,
# unpacked into a folder of their own and run on the loopback without any rights.
#
#   servers.sh fetch ROOT                        downloads and unpacks them, once
#   servers.sh imap  ROOT RUN PORT TLS_PORT      runs Dovecot until its input ends
#   servers.sh smtp  ROOT RUN PORT TLS_PORT      runs Exim until its input ends
#
# RUN is a folder for one run: mails are in RUN/mail/USER, logs in RUN. The users are ada and bob,
# their password is "secret", the domain is "test". Both servers show RUN/cert.pem.
set -eu

command=$1
root=$2

fetch() {
    mkdir -p "$root"
    exec 9>"$root/lock"
    flock 9
    [ -e "$root/done" ] && exit 0
    rm -rf "$root/unpacked" "$root/packages"
    mkdir -p "$root/unpacked" "$root/packages"
    main="dovecot-core dovecot-imapd exim4-base exim4-daemon-light libnss-wrapper"
    # Without a list of packages there is nothing to choose from.
    apt-cache show dovecot-imapd >"$root/log" 2>&1 || apt-get update >>"$root/log" 2>&1
    needed=$(apt-get install --simulate --no-install-recommends $main 2>>"$root/log" |
        awk '/^Inst/ { print $2 }')
    for package in $main $needed; do echo "$package"; done | sort -u >"$root/packages/names"
    (cd "$root/packages" && xargs apt-get download <names >>"$root/log" 2>&1)
    for package in "$root"/packages/*.deb; do
        dpkg -x "$package" "$root/unpacked"
    done
    # A program with rights of its own would not look for libraries here.
    chmod u-s "$root/unpacked/usr/sbin/exim4"
    # Dovecot has the folder of its modules built in; another one of the same length is below the
    # folder it runs in.
    library=$(readlink -f "$root/unpacked/usr/lib/dovecot/libdovecot.so.0")
    sed -i 's#/usr/lib/dovecot/modules\x00#././././././././/modules\x00#g' "$library"
    touch "$root/done"
}

# Runs a server as somebody without rights until the input of this script ends: whoever started it
# need not live to stop it.
run() {
    if [ "$(id -u)" = 0 ]; then
        chown -R nobody:nogroup "$run"
        set -- $powerless "$@"
    fi
    "$@" >"$run/$command.out" 2>&1 &
    server=$!
    trap 'kill $server 2>/dev/null; wait $server || true' EXIT
    cat >/dev/null
}

prepare() {
    run=$3
    port=$4
    tls_port=$5
    files=$root/unpacked
    user=$(id -un)
    group=$(id -gn)
    if [ "$(id -u)" = 0 ]; then
        user=nobody
        group=nogroup
        powerless="setpriv --reuid $user --regid $group --clear-groups"
        if ! $powerless test -r "$files/usr/sbin/exim4"; then
            # A folder above is root's alone.
            cp -r "$files" "$run/files-$command"
            files=$run/files-$command
        fi
    fi
    for name in ada bob; do
        mkdir -p "$run/mail/$name/new" "$run/mail/$name/cur" "$run/mail/$name/tmp"
    done
    dovecot=$files/usr/lib/dovecot
    lib=$files/usr/lib/$(uname -m)-linux-gnu
    export LD_LIBRARY_PATH="$lib:$files/lib/$(uname -m)-linux-gnu:$dovecot:$dovecot/modules/old-stats"
}

imap() {
    prepare "$@"
    mkdir -p "$run/dovecot/login"
    ln -sfn "$dovecot/modules" "$run/dovecot/modules"
    printf 'ada:{PLAIN}secret\nbob:{PLAIN}secret\n' >"$run/users"
    cat >"$run/dovecot.conf" <<END
base_dir = $run/dovecot
state_dir = $run/dovecot
libexec_dir = $dovecot
mail_plugin_dir = $dovecot/modules
import_environment = TZ LD_LIBRARY_PATH
default_internal_user = $user
default_internal_group = $group
default_login_user = $user
first_valid_uid = 1
log_path = $run/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <$run/cert.pem
ssl_key = <$run/key.pem
disable_plaintext_auth = no
mail_location = maildir:$run/mail/%u
mail_max_userip_connections = 100
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u $run/users
}
userdb {
  driver = static
  args = uid=$user gid=$group home=$run/home/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = $port
  }
  inet_listener imaps {
    port = $tls_port
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox "Outgoing mail" {
    auto = create
    special_use = \\Sent
  }
}
END
    # The program would look for its reader of settings where packages are installed.
    run "$files/usr/bin/doveconf" -f service=master -c "$run/dovecot.conf" \
        -e "$files/usr/sbin/dovecot" -F -c "$run/dovecot.conf"
}

smtp() {
    prepare "$@"
    # The user that the package would make is somebody who is there.
    number=$(id -u "$user")
    { cat /etc/passwd; echo "Debian-exim:x:$number:$number::/nonexistent:/bin/false"; } >"$run/passwd"
    { cat /etc/group; echo "Debian-exim:x:$(id -g "$user"):"; } >"$run/group"
    export LD_PRELOAD="$lib/libnss_wrapper.so"
    export NSS_WRAPPER_PASSWD="$run/passwd" NSS_WRAPPER_GROUP="$run/group"
    cat >"$run/exim.conf" <<END
exim_path = $files/usr/sbin/exim4
spool_directory = $run/spool
log_file_path = $run/exim-%slog
pid_file_path = $run/exim.pid
primary_hostname = mail.test
local_interfaces = 127.0.0.1
daemon_smtp_ports = $port : $tls_port
tls_on_connect_ports = $tls_port
tls_advertise_hosts = *
tls_certificate = $run/cert.pem
tls_privatekey = $run/key.pem
domainlist local_domains = test
acl_smtp_rcpt = check_rcpt
acl_smtp_data = check_data
never_users =
deliver_drop_privilege = true
keep_environment = LD_LIBRARY_PATH : LD_PRELOAD : NSS_WRAPPER_PASSWD : NSS_WRAPPER_GROUP
add_environment = PATH=/usr/bin:/bin
begin acl
check_rcpt:
  deny    message = nobody of that name
          !local_parts = ada : bob
  accept  authenticated = *
          domains = +local_domains
  deny    message = relay not permitted
check_data:
  deny    message = not wanted here
          condition = \${if match{\$h_Subject:}{unwanted}}
  accept
begin routers
local:
  driver = accept
  domains = +local_domains
  transport = maildir
begin transports
maildir:
  driver = appendfile
  directory = $run/mail/\${lookup{\$local_part}lsearch{$run/boxes}}
  maildir_format
  user = $user
  group = $group
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{\$auth2}{ada}}{eq{\$auth3}{secret}}}}
  server_set_id = \$auth2
END
    printf 'ada: ada\nbob: bob\n' >"$run/boxes"
    run "$files/usr/sbin/exim4" -C "$run/exim.conf" -bdf
}

"$command" "$@"
